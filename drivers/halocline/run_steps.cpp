#include "drivers/halocline/run_steps.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/halocline/result.hpp"
#include "drivers/halocline/solve_warnings.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;

/// This rank's limits of the step after `taken` steps.
StepLimits step_limits(CodeOwner const& owner, Physics const& physics, Index taken) {
  StepLimits limits;
  {
    Doing const doing(owner, "stable_step", taken + 1);
    limits.stable = physics.stable_step();
  }
  Doing const doing(owner, "suggested_step", taken + 1);
  limits.suggested = physics.suggested_step();
  return limits;
}

/// Requests of any rank after a step, and the limits of the next step over all ranks.
struct Requests {
  bool check = false;  ///< request to check a state that may not be finite
  StopReason stop = StopReason::none;
  bool checkpoint = false;  ///< is due by the clock
  bool busy = false;        ///< some rank is writing one
  StepLimits limits{};      ///< minimum over all ranks, so that they choose the same step, to the bit
};

/// \param needed seconds of work until the run could stop again
Requests requests_of_all_ranks(RunParts const& run, StepLimits const& mine, double needed) {
  auto const is = [](bool asked) { return asked ? 1.0 : 0.0; };
  bool const is_due = run.communicator.rank() == 0 && run.checkpoints.is_due_by_clock();
  std::array<double, 6> asked{is(run.guard.wants_check()),
                              static_cast<double>(run.stops.reason(needed)),
                              is(is_due),
                              is(run.checkpoints.is_busy(run.output)),
                              -mine.stable,
                              -mine.suggested};
  run.communicator.max(asked);
  return {.check = asked[0] != 0,
          .stop = static_cast<StopReason>(static_cast<int>(asked[1])),
          .checkpoint = asked[2] != 0,
          .busy = asked[3] != 0,
          .limits = {-asked[4], -asked[5]}};
}

/// How the first failed solve of `step` failed; empty if none did.
std::string failure_in(Step const& step, std::vector<SolveReport> const& reports) {
  auto const failed =
      std::find_if(reports.begin(), reports.end(), [](SolveReport const& report) { return !reached(report.outcome); });
  return failed == reports.end() ? "" : failed_solve(step, *failed);
}

std::string of_all(Schedule const& schedule) {
  return schedule.steps() ? " of " + std::to_string(*schedule.steps()) : ", time " + shortest_text(schedule.time());
}

/// Why the run ends with `step`, which has been taken, although it is not the last; empty if it does not.
std::optional<Error> early_end(Step const& step, std::vector<SolveReport> const& reports, Schedule const& schedule,
                               Requests const& requests, Stops const& stops) {
  if (std::string const failure = failure_in(step, reports); !failure.empty()) return SolveError(failure);
  if (schedule.ended()) return std::nullopt;
  if (requests.stop != StopReason::none) {
    return StoppedError(stops.text(requests.stop) + " after step " + std::to_string(step.number) + of_all(schedule));
  }
  Step const next = schedule.next(requests.limits);
  std::string const obstacle = obstacle_to(next, schedule, requests.limits);
  if (obstacle.empty()) return std::nullopt;
  return SolveError("step " + std::to_string(next.number) + ", time " + shortest_text(next.time) + ": " + obstacle);
}

/// The deck was valid when the run began: if it is not any more (an expression of time that is no longer finite), this
/// ends the run as an error during a step.
template <class Work>
auto during(Step const& step, Work const& work) {
  try {
    return work();
  } catch (InputError const& error) {
    throw SolveError("step " + std::to_string(step.number) + ", from time " + shortest_text(step.time) + ": " +
                     error.what());
  }
}

std::vector<SolveReport> advance(RunParts const& run, Step const& step) {
  ScopedRegion const region("step");
  Doing const doing(run.owner, "advance", step.number);
  return during(step, [&] { return run.physics.advance(step); });
}

/// Passes the quantities and limits after `step` to the guard. Returns this rank's limits of the next step.
StepLimits measure(RunParts const& run, Step const& step, Schedule const& schedule) {
  {
    ScopedRegion const region("output");
    Doing const doing(run.owner, "the output", step.number);
    during(step, [&] { run.output.measure(schedule, run.physics); });
  }
  if (schedule.ended()) return {};
  StepLimits const limits = step_limits(run.owner, run.physics, step.number);
  run.guard.see_stable_step(limits.stable);
  run.guard.see_suggested_step(limits.suggested);
  return limits;
}

/// Writes the outputs and checkpoints of the state after a step. Rows that are only written at the end of a run come
/// after the checkpoint: a run that continues from it does not have them.
void add_outputs(RunParts const& run, Schedule const& schedule, std::vector<SolveReport> const& reports,
                 Requests const& requests, bool fails, bool ends) {
  ScopedRegion const region("output");
  Doing const doing(run.owner, "the output", schedule.taken());
  run.output.add(schedule, run.physics, reports, requests.check);
  if (!fails) {
    bool const stops = requests.stop != StopReason::none && !schedule.ended();
    run.checkpoints.add(schedule, run.output, {.busy = requests.busy, .due = requests.checkpoint, .stops = stops});
  }
  if (ends) run.output.add_last(schedule, run.physics);
}

/// Waits until what was passed to I/O ranks or to a thread is on disk.
void finish_writing(RunParts const& run) {
  run.output.finish_snapshots();
  run.checkpoints.finish();
}

/// Adds the initial state, or the one from which the run continues.
void add_first(RunParts const& run, Schedule const& schedule, bool goes_on) {
  Doing const doing(run.owner, "the output");
  goes_on ? run.output.go_on(schedule, run.physics) : run.output.add(schedule, run.physics, {}, false);
  if (schedule.ended()) run.output.add_last(schedule, run.physics);
}

/// Seconds of work until a run could stop the next time, if it does not stop now.
class NextStop {
 public:
  void add_step(double seconds) { longest_ = std::max(0.9 * longest_, seconds); }
  [[nodiscard]] double needed(Checkpoints const& checkpoints) const {
    constexpr double end_of_program = 0.5;
    return 2 * longest_ + 2 * checkpoints.expected_seconds() + end_of_program;
  }

 private:
  double longest_ = 0;  ///< of recent steps
};

}  // namespace

StepLimits first_limits(CodeOwner const& owner, std::string const& name, Physics const& physics,
                        Schedule const& schedule, Communicator const& communicator) {
  if (schedule.ended()) return {};
  StepLimits const mine = step_limits(owner, physics, schedule.taken());
  std::array<double, 2> least{mine.stable, mine.suggested};
  communicator.min(least);
  StepLimits const limits{least[0], least[1]};
  if (std::string const obstacle = obstacle_at_start(schedule, limits, name); !obstacle.empty())
    throw InputError(obstacle);
  return limits;
}

void run_steps(RunParts const& run, Schedule schedule, StepLimits limits, bool goes_on) {
  add_first(run, schedule, goes_on);
  SolveWarnings warnings;
  NextStop next_stop;
  while (!schedule.ended()) {
    Clock::time_point const begun = Clock::now();
    Step const step = schedule.next(limits);
    run.progress.begin_step(step, schedule);
    std::vector<SolveReport> const reports = advance(run, step);
    schedule.take(step);
    run.output.add_step_size(step.size);
    StepLimits const mine = measure(run, step, schedule);
    Requests const requests = requests_of_all_ranks(run, mine, next_stop.needed(run.checkpoints));
    limits = requests.limits;
    std::optional<Error> const end = early_end(step, reports, schedule, requests, run.stops);
    run.progress.end_step(step, schedule, reports.empty() ? 0 : reports.back().final_residual);
    warnings.add(reports);
    bool const stops = end && end->exit_code() == ExitCode::stopped;
    try {
      add_outputs(run, schedule, reports, requests, end && !stops, end || schedule.ended());
    } catch (NotANumberError const& bad) {
      // A failed solve explains more than the state that it left.
      std::string const failure = failure_in(step, reports);
      if (failure.empty()) throw;
      throw SolveError(failure + "; " + bad.what());
    }
    if (end) finish_writing(run);
    if (stops) throw StoppedError(end->what() + run.checkpoints.advice());
    if (end) throw *end;
    next_stop.add_step(std::chrono::duration<double>(Clock::now() - begun).count());
  }
  warnings.finish();
  finish_writing(run);
}

}  // namespace halocline
