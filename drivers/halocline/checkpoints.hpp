#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "drivers/halocline/schedule.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/io/checkpoint_writer.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

class Mistakes;
class Output;

/// The section `checkpoint` of a deck.
[[nodiscard]] Section checkpoint_section();
/// Adds mistakes for cadences that a run of this deck has no use for.
void judge_checkpoints(Options const& checkpoint, bool evolves, Mistakes& mistakes);
/// Whether a judged deck asks for checkpoints while it runs: a copy of the state is held then.
[[nodiscard]] bool has_checkpoints(Options const& deck);

/// Bytes of the owned entries that a physics carries, on this rank; nothing where it does not tell what it carries.
[[nodiscard]] std::optional<double> carried_bytes(Physics& physics);

/// The checkpoints of a run, as its deck asks for them: now and then, and where the run stops or ends.
class Checkpoints {
 public:
  /// \param run      how the run was started, as JSON, kept in each checkpoint
  /// \param numbered number of the checkpoint that a stationary run goes on from; 0: it begins
  /// \param time     that the run begins or goes on at
  /// Throws InputError where the deck asks for checkpoints of a physics that does not tell what it carries.
  Checkpoints(Options const& checkpoint, std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
              Physics& physics, std::string const& physics_name, bool evolves, std::string run, Index numbered,
              double time);

  /// Whether this rank is still at work for a checkpoint, or waits for snapshots of `output` that belong to it.
  [[nodiscard]] bool is_busy(Output const& output) const;
  /// Whether one is due by the clock of this rank: that of rank 0 counts.
  [[nodiscard]] bool is_due_by_clock() const;

  /// What all ranks have said after a step.
  struct Agreed {
    bool busy = false;   ///< any rank
    bool due = false;    ///< by the clock
    bool stops = false;  ///< the run, here, by a signal or a limit
  };
  /// Collective, with the state that the schedule has come to: takes what is under way further, and begins one where it
  /// is due, or the run stops or ends.
  void add(Schedule const& schedule, Output& output, Agreed const& agreed);
  /// Collective. The same within the one solve of a stationary physics, after so many iterations.
  void add_iterate(Index iterations, Output& output, Agreed const& agreed);
  /// Collective. Returns when what is under way is whole; all its snapshots are written.
  void finish();

  /// About how long a checkpoint takes, in seconds, for who has to stop in time.
  [[nodiscard]] double expected_seconds() const;
  /// "; `halocline restart plate.out` goes on", where a stopped run left a checkpoint; empty where it did not.
  [[nodiscard]] std::string advice() const;
  /// From the beginning of the last one until it was whole; 0: there was none.
  [[nodiscard]] double seconds_of_last() const { return writer_.seconds(); }

 private:
  [[nodiscard]] bool is_due(Schedule const& schedule) const;
  void begin(Index number, double time, Schedule const& schedule, Output& output);

  Index steps_ = 0;       ///< from one to the next; 0: none by steps
  double time_ = 0;       ///< likewise, of the run's time
  double wall_ = 0;       ///< likewise, in seconds of a clock
  bool at_stop_ = false;  ///< whether a run that stops leaves one
  bool evolves_;
  std::filesystem::path folder_;
  Physics& physics_;
  std::string run_;
  Index numbered_;
  CheckpointWriter writer_;
  double bytes_ = 0;  ///< of a copy on this rank
  double time_of_last_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace halocline
