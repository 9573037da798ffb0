#include "drivers/halocline/progress.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/halocline/standard_output.hpp"

namespace halocline {
namespace {

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

/// "3 s", "12 min", "4.5 h".
std::string readable_time(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Section progress_section() {
  Section progress("progress", "Progress messages of a run.");
  progress
      .integer(
          "iterations",
          "Number of iterations of a solve from one printed iteration to the next, beginning with iteration 0; each is "
          "printed with the quantity that the method monitors. 0: a progress line from time to time instead.")
      .at_least(0)
      .defaults_to(std::int64_t{0});
  return progress;
}

Index iteration_lines(Options const& deck) { return deck.section("progress").integer("iterations"); }

Progress::~Progress() { finish(); }

void Progress::begin_step(Step const& step, Schedule const& schedule) {
  step_ = step;
  steps_ = schedule.steps();
  measured_ = 0;
  last_number_ = 0;
}

void Progress::iteration(Index number, double residual) {
  if (number <= last_number_) measured_ = 0;
  last_number_ = number;
  Index const n = measured_++;
  if (!settings_.speaks) return;
  if (settings_.iteration_lines > 0) {
    if (n % settings_.iteration_lines == 0) show(fmt::format("Iteration = {} error = {:g}", n, residual), true);
  } else if (due(false)) {
    show(line(step_, number, residual), settings_.columns == 0);
  }
}

void Progress::end_step(Step const& step, Schedule const& schedule, double residual) {
  if (steps_) {
    part_ = static_cast<double>(step.number) / static_cast<double>(*steps_);
  } else {
    part_ = (schedule.time() - schedule.start()) / (*schedule.end() - schedule.start());
  }
  if (!first_step_) first_step_ = {part_, Clock::now()};
  if (!settings_.speaks || settings_.iteration_lines > 0) return;
  bool const edge = step.number == 1 || schedule.ended();
  if (due(edge)) show(line(step, -1, residual), settings_.columns == 0);
}

void Progress::finish() {
  if (line_open_) say("\n");
  line_open_ = false;
}

std::string Progress::line(Step const& step, Index iteration, double residual) const {
  std::string text;
  if (step.size > 0) {
    std::string const of = steps_ ? fmt::format(" of {}", *steps_) : "";
    text = fmt::format("step {}{}, time {:g}", step.number, of, step.time + step.size);
    if (!steps_) text += fmt::format(" ({:.0f} %)", 100 * part_);
  }
  if (iteration >= 0) text += fmt::format("{}iteration {}", text.empty() ? "" : ", ", iteration);
  if (!(residual <= 0)) text += fmt::format("{}residual {:.2e}", text.empty() ? "" : ", ", residual);
  if (first_step_ && part_ > first_step_->part && part_ < 1) {
    double const whole = seconds_since(first_step_->end) / (part_ - first_step_->part);
    text += ", " + readable_time(whole * (1 - part_)) + " left";
  }
  return text;
}

bool Progress::due(bool always) {
  double const interval = settings_.columns > 0 ? 0.1 : 1.0;
  if (!always && seconds_since(std::max(shown_, start_)) < interval) return false;
  shown_ = Clock::now();
  return true;
}

void Progress::show(std::string const& text, bool stays) {
  if (text.empty()) return;
  if (stays) {
    finish();
    say(text + "\n");
  } else {
    auto const room = static_cast<std::size_t>(std::max(1, settings_.columns - 1));
    say_as_it_is("\r\033[K" + text.substr(0, room));
    line_open_ = true;
  }
}

}  // namespace halocline
