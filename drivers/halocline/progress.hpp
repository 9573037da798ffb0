#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "drivers/halocline/schedule.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// The section `progress` of a deck.
[[nodiscard]] Section progress_section();
/// Progress::Settings::iteration_lines as a judged deck has it.
[[nodiscard]] Index iteration_lines(Options const& deck);

/// How far a run is, for whoever watches standard output: one line that is rewritten in a terminal; plain lines, the
/// first, the last and at most one a second between them, in a pipe or a file.
class Progress {
 public:
  struct Settings {
    bool speaks = true;         ///< only one rank does
    int columns = 0;            ///< of the terminal; 0: no terminal
    Index iteration_lines = 0;  ///< prints every so many-th iteration of each solve as a line of its own; 0: none
  };
  explicit Progress(Settings settings) : settings_(settings) {}
  /// Leaves the terminal with its line ended.
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void begin_step(Step const& step, Schedule const& schedule);
  /// An iteration of a solve; the first one told after begin_step or a smaller number begins a solve.
  void iteration(Index number, double residual);
  /// `schedule` has taken the step.
  void end_step(Step const& step, Schedule const& schedule, double residual);
  /// Ends the line; what is printed next starts on a new one.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string line(Step const& step, Index iteration, double residual) const;
  [[nodiscard]] bool due(bool always);
  void show(std::string const& text, bool stays);

  Settings settings_;
  Step step_{};
  Index measured_ = 0;  ///< iterations told of the present solve
  Index last_number_ = 0;
  std::optional<Index> steps_;  ///< of the whole run, where that is known
  double part_ = 0;             ///< of the run that is done
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  bool line_open_ = false;
};

}  // namespace halocline
