#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// What the present state says of the next step, the same on all ranks; infinite: nothing.
struct StepLimits {
  double stable = std::numeric_limits<double>::infinity();     ///< Physics::stable_step
  double suggested = std::numeric_limits<double>::infinity();  ///< Physics::suggested_step
};

/// Times from one output to the next; 0: none asks for times.
struct OutputTimes {
  double snapshots = 0;
  double scalars = 0;
};

/// Where a schedule stands: what a run that goes on from there needs.
struct ScheduleState {
  double start = 0;
  double time = 0;
  Index taken = 0;
  double size = 0;    ///< of steps of one length …
  double anchor = 0;  ///< … and where they count from
  Index anchor_taken = 0;
  OutputTimes outputs{};
  std::array<Index, 2> next_outputs{1, 1};  ///< numbers of the next snapshot and the next row by time
};

/// The steps of a run, chosen one after the other, and the times that they meet.
///
/// Steps of one length stand at `start` plus a multiple of it; one that would go beyond the end or the time of an
/// output is shortened to meet it, and the steps behind an output count from there. Chosen steps, by `courant` or by a
/// physics that suggests them, share what is left to the next such time: more than one and less than two of them are
/// taken as two halves, so that no sliver is left.
class Schedule {
 public:
  /// One step of size zero.
  [[nodiscard]] static Schedule stationary() { return {}; }
  /// As a judged `time` section says. The n-th time of an output is start + n times its interval.
  [[nodiscard]] static Schedule evolving(Options const& time, OutputTimes const& outputs = {});

  [[nodiscard]] double start() const { return start_; }
  /// Where the present state is, and how many steps led there.
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] Index taken() const { return taken_; }
  /// Whether the run is over.
  [[nodiscard]] bool ended() const;
  /// The step that comes next from a state with these limits. Where nothing can be made of them, its size is none to
  /// take: not above 0, or too short to change the time.
  [[nodiscard]] Step next(StepLimits const& limits) const;
  /// `step`, as `next` has told it, has been taken.
  void take(Step const& step);
  [[nodiscard]] ScheduleState state() const;
  /// Goes on from there, with what the deck says of steps, outputs and the end now. Throws InputError where another
  /// start is asked for.
  void go_on_from(ScheduleState const& state);
  /// Whether outputs by time are due in the present state; the initial one is never.
  [[nodiscard]] bool snapshot_is_due() const { return clocks_[0].met; }
  [[nodiscard]] bool scalars_are_due() const { return clocks_[1].met; }

  /// Whether the deck asks for a part of the longest stable step.
  [[nodiscard]] bool by_courant() const { return courant_ > 0; }
  [[nodiscard]] bool is_chosen(StepLimits const& limits) const;
  /// The number of all steps, where it is known before; for steps that are not chosen.
  [[nodiscard]] std::optional<Index> steps() const;
  /// Where the run ends, if the deck says so by a time.
  [[nodiscard]] std::optional<double> end() const { return end_; }

 private:
  /// An output by time.
  struct Clock {
    double interval = 0;  ///< 0: never
    Index next = 1;       ///< number of its next time
    bool met = false;     ///< by the present state
  };
  void plan();
  [[nodiscard]] double time_of(Clock const& clock) const;
  [[nodiscard]] double rounding(double step) const;
  [[nodiscard]] double next_output() const;
  [[nodiscard]] Step equal_step() const;
  [[nodiscard]] double target(double step) const;

  double start_ = 0;
  std::optional<double> end_;
  double courant_ = 0;      ///< 0: not by it
  bool has_length_ = true;  ///< the deck says one, or how it follows from the longest stable one
  double size_ = 0;         ///< of steps of one length, and of the first where others are suggested; 0: not given
  double time_ = 0;
  Index taken_ = 0;
  double anchor_ = 0;       ///< where steps of one length count from …
  Index anchor_taken_ = 0;  ///< … and how many steps led there
  double last_size_ = 0;    ///< of the last of them
  Index steps_ = 1;         ///< the number of it
  std::array<Clock, 2> clocks_{};
};

/// Why `step` cannot be taken from a state with these limits; empty where it can.
[[nodiscard]] std::string obstacle_to(Step const& step, Schedule const& schedule, StepLimits const& limits);
/// Why a run of this physics cannot begin from a state with these limits; empty where it can.
[[nodiscard]] std::string obstacle_at_start(Schedule const& schedule, StepLimits const& limits,
                                            std::string const& physics);

}  // namespace halocline
