#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "drivers/halocline/schedule.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// The section `progress` of a deck.
[[nodiscard]] Section progress_section();
/// Progress::Settings::iteration_lines from a validated deck.
[[nodiscard]] Index iteration_lines(Options const& deck);

/// The progress of a run on standard output: in a terminal one line that is rewritten; in a pipe or file plain lines,
/// the first, the last and at most one per second in between.
class Progress {
 public:
  struct Settings {
    bool speaks = true;         ///< only one rank prints
    int columns = 0;            ///< of the terminal; 0: no terminal
    Index iteration_lines = 0;  ///< prints every n-th iteration of each solve on a separate line; 0: none
  };
  explicit Progress(Settings settings) : settings_(settings) {}
  /// Ends the line in the terminal.
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void begin_step(Step const& step, Schedule const& schedule);
  /// An iteration of a solve. The first one after begin_step, or one with a smaller number, begins a solve.
  void iteration(Index number, double residual);
  /// `schedule` has advanced by the step.
  void end_step(Step const& step, Schedule const& schedule, double residual);
  /// Ends the line; further output starts on a new one.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string line(Step const& step, Index iteration, double residual) const;
  [[nodiscard]] bool due(bool always);
  void show(std::string const& text, bool stays);

  Settings settings_;
  Step step_{};
  Index measured_ = 0;  ///< iterations of the present solve
  Index last_number_ = 0;
  std::optional<Index> steps_;  ///< of the whole run, if known
  double part_ = 0;             ///< completed fraction of the run
  Clock::time_point start_ = Clock::now();
  /// The end of the first step of this process. The time left is estimated from there: set-up is slow, and a continued
  /// run begins with steps of earlier processes.
  struct FirstStep {
    double part;
    Clock::time_point end;
  };
  std::optional<FirstStep> first_step_;
  Clock::time_point shown_{};
  bool line_open_ = false;
};

}  // namespace halocline
