#include "drivers/halocline/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

Schedule Schedule::evolving(Options const& time, OutputTimes const& outputs) {
  Schedule schedule;
  schedule.start_ = schedule.time_ = schedule.anchor_ = time.real("start");
  if (time.has("courant")) schedule.courant_ = time.real("courant");
  if (time.has("step")) schedule.size_ = schedule.last_size_ = time.real("step");
  schedule.has_length_ = time.has("step") || time.has("courant");
  if (time.has("steps")) schedule.steps_ = time.integer("steps");
  if (time.has("end")) schedule.end_ = time.real("end");
  schedule.clocks_[0].interval = outputs.snapshots;
  schedule.clocks_[1].interval = outputs.scalars;
  schedule.plan();
  return schedule;
}

/// Counts the steps of one length from the anchor to the end.
void Schedule::plan() {
  if (!end_ || size_ == 0) return;
  double const span = *end_ - anchor_;
  // Omits a last step that is only due to rounding.
  auto const left = static_cast<Index>(std::ceil(span / size_ * (1 - 1e-12)));
  double const before = static_cast<double>(std::max<Index>(0, left - 1)) * size_;
  steps_ = anchor_taken_ + left;
  last_size_ = span - before;
}

bool Schedule::ended() const {
  if (!end_) return taken_ >= steps_;
  if (time_ >= *end_) return true;
  return size_ > 0 && courant_ == 0 && anchor_taken_ < taken_ && taken_ >= steps_;
}

bool Schedule::is_chosen(StepLimits const& limits) const {
  return by_courant() || !has_length_ || std::isfinite(limits.suggested);
}

std::optional<Index> Schedule::steps() const {
  bool const shortened = clocks_[0].interval > 0 || clocks_[1].interval > 0;
  if (end_ && (by_courant() || size_ == 0 || shortened)) return std::nullopt;
  return steps_;
}

double Schedule::time_of(Clock const& clock) const {
  if (clock.interval == 0) return std::numeric_limits<double>::infinity();
  return start_ + static_cast<double>(clock.next) * clock.interval;
}

/// Times closer than this count as equal, for steps of about this length.
double Schedule::rounding(double step) const {
  return 1e-12 * std::max(std::abs(time_ - start_), step) + 1e-15 * std::abs(time_);
}

double Schedule::next_output() const { return std::min(time_of(clocks_[0]), time_of(clocks_[1])); }

/// The next time that steps of about this length must end at.
double Schedule::target(double step) const {
  double const output = next_output();
  if (end_ && *end_ <= output + rounding(step)) return *end_;
  return output;
}

Step Schedule::equal_step() const {
  Index const number = taken_ + 1;
  double const from = anchor_ + static_cast<double>(number - anchor_taken_ - 1) * size_;
  Step step{number, from, number == steps_ ? last_size_ : size_};
  double const output = next_output();
  if (from + step.size > output + rounding(size_)) step.size = output - from;
  return step;
}

Step Schedule::next(StepLimits const& limits) const {
  if (!is_chosen(limits)) return equal_step();
  bool const first = taken_ == 0 && size_ > 0;
  double size = std::min(first ? size_ : limits.suggested, limits.stable);
  if (by_courant()) size = std::min(limits.suggested, courant_ * limits.stable);
  // std::min of a number and NaN may return the number.
  if (std::isnan(limits.stable) || std::isnan(limits.suggested)) size = std::numeric_limits<double>::quiet_NaN();
  if (first && limits.stable < size_) size = size_;
  // Without a suggestion the first step is short: with error control later ones grow from it.
  if (taken_ == 0 && !has_length_ && std::isinf(limits.suggested)) size = std::min(size, 1e-3 * (*end_ - time_));
  double const left = target(size) - time_;
  if (left <= size * (1 + 1e-13)) return {taken_ + 1, time_, left};
  return {taken_ + 1, time_, left < 2 * size ? left / 2 : size};
}

void Schedule::take(Step const& step) {
  // The times of equal steps are computed, not accumulated.
  Step const equal = size_ > 0 && courant_ == 0 ? equal_step() : Step{};
  bool const on_grid = size_ > 0 && courant_ == 0 && step.time == equal.time && step.size == equal.size;
  double const reached = step.time + step.size;
  taken_ = step.number;
  time_ = reached;
  bool const shortened = on_grid && step.size < size_ && !(end_ && step.number == steps_);
  double const near = rounding(on_grid ? size_ : step.size);
  if (!on_grid || shortened) {
    if (std::abs(next_output() - reached) <= near) time_ = next_output();
    if (end_ && std::abs(*end_ - reached) <= near) time_ = *end_;
  }
  for (Clock& clock : clocks_) {
    clock.met = time_of(clock) <= time_ + near;
    if (clock.met) ++clock.next;
  }
  if (on_grid && !shortened) return;
  anchor_ = time_;
  anchor_taken_ = taken_;
  plan();
}

ScheduleState Schedule::state() const {
  return {.start = start_,
          .time = time_,
          .taken = taken_,
          .size = size_,
          .anchor = anchor_,
          .anchor_taken = anchor_taken_,
          .outputs = {clocks_[0].interval, clocks_[1].interval},
          .next_outputs = {clocks_[0].next, clocks_[1].next}};
}

void Schedule::go_on_from(ScheduleState const& state) {
  if (state.start != start_) {
    throw InputError("`time.start`: the run began at " + shortest_text(state.start) +
                     ", and cannot continue as one that begins at " + shortest_text(start_));
  }
  time_ = state.time;
  taken_ = state.taken;
  if (!end_ && taken_ > steps_) {
    throw InputError("`time.steps`: the checkpoint is at step " + std::to_string(taken_) +
                     ", after the end of the run, " + std::to_string(steps_));
  }
  if (end_ && time_ > *end_ + rounding(size_)) {
    throw InputError("`time.end`: the checkpoint is at time " + shortest_text(time_) + ", after the end of the run, " +
                     shortest_text(*end_));
  }
  // If a step was shortened to end at the previous end, the state is not on the grid of equal steps.
  double const on_grid = state.anchor + static_cast<double>(taken_ - state.anchor_taken) * size_;
  bool const same_steps = state.size == size_ && std::abs(on_grid - time_) <= rounding(size_);
  anchor_ = same_steps ? state.anchor : time_;
  anchor_taken_ = same_steps ? state.anchor_taken : taken_;
  std::array<double, 2> const intervals{state.outputs.snapshots, state.outputs.scalars};
  for (std::size_t n = 0; n < clocks_.size(); ++n) {
    Clock& clock = clocks_[n];
    clock.met = false;
    clock.next = state.next_outputs[n];
    if (clock.interval == intervals[n] || clock.interval == 0) continue;
    clock.next = static_cast<Index>(std::floor((time_ - start_) / clock.interval * (1 + 1e-12))) + 1;
  }
  plan();
}

std::string obstacle_to(Step const& step, Schedule const& schedule, StepLimits const& limits) {
  if (schedule.is_chosen(limits) && !(step.time + step.size > step.time))
    return "a step of " + shortest_text(step.size) + " is too short to change the time";
  if (step.size <= limits.stable * (1 + 1e-12)) return "";
  return "`time.step`: " + shortest_text(step.size) + " is longer than the longest stable step, " +
         shortest_text(limits.stable) + "; shorten it, or give `time.courant` instead";
}

std::string obstacle_at_start(Schedule const& schedule, StepLimits const& limits, std::string const& physics) {
  if (schedule.ended()) return "";
  if (!(limits.stable > 0)) {
    return "the longest stable step from the initial state is " + shortest_text(limits.stable) +
           "; check the initial values and coefficients";
  }
  if (schedule.by_courant() && std::isinf(limits.stable)) {
    return "`time.courant`: " + physics + " has no longest stable step with these options; give `time.step` instead";
  }
  return obstacle_to(schedule.next(limits), schedule, limits);
}

}  // namespace halocline
