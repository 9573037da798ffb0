#include "drivers/halocline/stops.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "framework/runtime/stop.hpp"

namespace halocline {
namespace {

/// The start of this program, or shortly after.
WallLimit::Clock::time_point const program_start = WallLimit::Clock::now();

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Stops::Stops(double wall_limit, SnapshotSender* sender)
    : limit_(wall_limit, program_start, std::getenv("SLURM_JOB_END_TIME")), sender_(sender) {}

StopReason Stops::reason(double needed) const {
  if (stop_signal() != 0 || (sender_ != nullptr && sender_->stop_asked())) return StopReason::signal;
  return limit_.is_near(needed) ? StopReason::wall_limit : StopReason::none;
}

std::string Stops::text(StopReason reason) const {
  return reason == StopReason::wall_limit ? "stopped " + limit_.text() : "stopped by a signal";
}

std::optional<SolveWatch::Said> SolveWatch::add(std::function<Said()> const& mine) {
  if (sums_ && --left_ > 0) return std::nullopt;
  std::optional<Said> said;
  if (sums_) said = take();
  start(mine());
  return said;
}

void SolveWatch::start(Said const& mine) {
  // The number of ranks with each reason, so that sums give the largest; and the duration of the last iterations.
  if (started_ > 0 && left_ == 0) seconds_each_ = (now() - started_) / static_cast<double>(counted_);
  std::array<double, 5> const said{
      mine.stop == StopReason::signal ? 1.0 : 0.0, mine.stop == StopReason::wall_limit ? 1.0 : 0.0,
      mine.checkpoint && communicator_.rank() == 0 ? 1.0 : 0.0, mine.busy ? 1.0 : 0.0, seconds_each_};
  started_ = now();
  left_ = counted_ = interval_;
  sums_.emplace(communicator_.start_sum(said));
}

SolveWatch::Said SolveWatch::take() {
  constexpr double wanted = 0.1;  // seconds
  std::span<double const> const sums = sums_->finish();
  Said const said{.stop = sums[0] > 0   ? StopReason::signal
                          : sums[1] > 0 ? StopReason::wall_limit
                                        : StopReason::none,
                  .checkpoint = sums[2] > 0,
                  .busy = sums[3] > 0};
  double const each = sums[4] / communicator_.size();
  if (each > 0) interval_ = static_cast<Index>(std::clamp(wanted / each, 1.0, 1000.0));
  sums_.reset();
  return said;
}

void SolveWatch::finish() {
  if (sums_) static_cast<void>(sums_->finish());
  sums_.reset();
}

}  // namespace halocline
