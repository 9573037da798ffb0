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
/// Adds mistakes for intervals that do not apply to a run of this deck.
void validate_checkpoints(Options const& checkpoint, bool evolves, Mistakes& mistakes);
/// Whether a validated deck requests checkpoints during the run: then a copy of the state is held.
[[nodiscard]] bool has_checkpoints(Options const& deck);

/// Bytes of the owned entries that a physics serializes, on this rank; empty if it does not implement `serialize`.
[[nodiscard]] std::optional<double> checkpoint_bytes(Physics& physics);

/// The checkpoints of a run, as its deck requests them: periodically, and when the run stops or ends.
class Checkpoints {
 public:
  /// \param run      how the run was started, as JSON, kept in each checkpoint
  /// \param numbered number of the checkpoint from which a stationary run continues; 0: it is new
  /// \param time     at which the run begins or continues
  /// Throws InputError if the deck requests checkpoints of a physics that does not implement `serialize`.
  Checkpoints(Options const& checkpoint, std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
              Physics& physics, std::string const& physics_name, bool evolves, std::string run, Index numbered,
              double time);

  /// Whether this rank is still writing a checkpoint, or waits for snapshots of `output` that belong to it.
  [[nodiscard]] bool is_busy(Output const& output) const;
  /// Whether a checkpoint is due by the clock of this rank; only rank 0's answer counts.
  [[nodiscard]] bool is_due_by_clock() const;

  /// What all ranks have agreed on after a step.
  struct Agreed {
    bool busy = false;   ///< on any rank
    bool due = false;    ///< by the clock
    bool stops = false;  ///< the run, after this step, because of a signal or a limit
  };
  /// Collective, with the state that the schedule has reached: advances the checkpoint in progress, and starts one if
  /// it is due or the run stops or ends.
  void add(Schedule const& schedule, Output& output, Agreed const& agreed);
  /// Collective. The same within the single solve of a stationary physics, after this many iterations.
  void add_iterate(Index iterations, Output& output, Agreed const& agreed);
  /// Collective. Returns when the checkpoint in progress is complete; all its snapshots must be written.
  void finish();

  /// Estimated duration of a checkpoint, in seconds, for stopping in time.
  [[nodiscard]] double expected_seconds() const;
  /// "; `halocline restart plate.out` continues it" if a stopped run left a checkpoint; else empty.
  [[nodiscard]] std::string advice() const;
  /// Duration of the last checkpoint; 0: there was none.
  [[nodiscard]] double seconds_of_last() const { return writer_.seconds(); }

 private:
  [[nodiscard]] bool is_due(Schedule const& schedule) const;
  void begin(Index number, double time, Schedule const& schedule, Output& output);

  Index steps_ = 0;       ///< interval in steps; 0: none
  double time_ = 0;       ///< interval in the run's time
  double wall_ = 0;       ///< interval in seconds of wall time
  bool at_stop_ = false;  ///< whether a run that is stopped writes a checkpoint
  bool evolves_;
  std::filesystem::path folder_;
  Physics& physics_;
  std::string run_;
  Index numbered_;
  CheckpointWriter writer_;
  double bytes_ = 0;  ///< of this rank's copy
  double time_of_last_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace halocline
