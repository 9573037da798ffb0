#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Limits of the next step from the present state, the same on all ranks; infinite: none.
struct StepLimits {
  double stable = std::numeric_limits<double>::infinity();     ///< Physics::stable_step
  double suggested = std::numeric_limits<double>::infinity();  ///< Physics::suggested_step
};

/// Intervals between outputs by time; 0: none.
struct OutputTimes {
  double snapshots = 0;
  double scalars = 0;
};

/// The position of a schedule: what a run needs to continue from there.
struct ScheduleState {
  double start = 0;
  double time = 0;
  Index taken = 0;
  double size = 0;    ///< of equal steps …
  double anchor = 0;  ///< … and the time from which they are counted
  Index anchor_taken = 0;
  OutputTimes outputs{};
  std::array<Index, 2> next_outputs{1, 1};  ///< numbers of the next snapshot and the next row by time
};

/// The steps of a run, chosen one after the other, and the times at which they must end.
///
/// Equal steps end at `start` plus a multiple of their length. One that would pass the end or the time of an output is
/// shortened to end there, and the steps after an output are counted from it. Steps chosen by `courant`, or by a
/// physics that suggests them, divide the time left to the next such time: if it is between one and two steps, it is
/// split into two halves, so that no tiny step is left.
class Schedule {
 public:
  /// A single step of size zero.
  [[nodiscard]] static Schedule stationary() { return {}; }
  /// By a validated `time` section. The n-th time of an output is start + n times its interval.
  [[nodiscard]] static Schedule evolving(Options const& time, OutputTimes const& outputs = {});

  [[nodiscard]] double start() const { return start_; }
  /// The time of the present state, and the number of steps up to it.
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] Index taken() const { return taken_; }
  /// Whether the run is over.
  [[nodiscard]] bool ended() const;
  /// The next step from a state with these limits. If there is no valid one, its size cannot be taken: not above 0, or
  /// too short to change the time.
  [[nodiscard]] Step next(StepLimits const& limits) const;
  /// Records that `step`, as returned by `next`, has been taken.
  void take(Step const& step);
  [[nodiscard]] ScheduleState state() const;
  /// Continues from `state`, with the deck's present settings for steps, outputs and the end. Throws InputError if the
  /// start differs, or the end lies before the state.
  void go_on_from(ScheduleState const& state);
  /// Whether outputs by time are due in the present state; never in the initial one.
  [[nodiscard]] bool snapshot_is_due() const { return clocks_[0].met; }
  [[nodiscard]] bool scalars_are_due() const { return clocks_[1].met; }

  /// Whether the deck requests a fraction of the longest stable step.
  [[nodiscard]] bool by_courant() const { return courant_ > 0; }
  [[nodiscard]] bool is_chosen(StepLimits const& limits) const;
  /// The total number of steps, if known in advance; only if steps are not chosen.
  [[nodiscard]] std::optional<Index> steps() const;
  /// The end time, if the deck gives one.
  [[nodiscard]] std::optional<double> end() const { return end_; }

 private:
  /// An output by time.
  struct Clock {
    double interval = 0;  ///< 0: never
    Index next = 1;       ///< number of its next time
    bool met = false;     ///< reached by the present state
  };
  void plan();
  [[nodiscard]] double time_of(Clock const& clock) const;
  [[nodiscard]] double rounding(double step) const;
  [[nodiscard]] double next_output() const;
  [[nodiscard]] Step equal_step() const;
  [[nodiscard]] double target(double step) const;

  double start_ = 0;
  std::optional<double> end_;
  double courant_ = 0;      ///< 0: not used
  bool has_length_ = true;  ///< the deck gives a length, or how it follows from the longest stable step
  double size_ = 0;         ///< of equal steps, or of the first if others are suggested; 0: not given
  double time_ = 0;
  Index taken_ = 0;
  double anchor_ = 0;       ///< time from which equal steps are counted …
  Index anchor_taken_ = 0;  ///< … and the number of steps up to it
  double last_size_ = 0;    ///< of the last equal step
  Index steps_ = 1;         ///< number of the last step
  std::array<Clock, 2> clocks_{};
};

/// Why `step` cannot be taken from a state with these limits; empty if it can.
[[nodiscard]] std::string obstacle_to(Step const& step, Schedule const& schedule, StepLimits const& limits);
/// Why a run of this physics cannot begin from a state with these limits; empty if it can.
[[nodiscard]] std::string obstacle_at_start(Schedule const& schedule, StepLimits const& limits,
                                            std::string const& physics);

}  // namespace halocline
