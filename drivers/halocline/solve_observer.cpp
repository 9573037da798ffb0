#include "drivers/halocline/solve_observer.hpp"

#include <string>
#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {

void SolveObserver::see(Index iteration, double residual) {
  iterations_.push_back(iteration);
  residuals_.push_back(residual);
  progress_.iteration(iteration, residual);
  if (checkpoints_ == nullptr) return;
  auto const said = watch_.add([this] {
    return SolveWatch::Said{.stop = stops_.reason(2 * checkpoints_->expected_seconds() + watch_.seconds_ahead() + 0.5),
                            .checkpoint = checkpoints_->is_due_by_clock(),
                            .busy = checkpoints_->is_busy(*output_)};
  });
  if (!said) return;
  bool const stops = said->stop != StopReason::none;
  // Answers given before a checkpoint began do not take it into account.
  bool const is_old = std::exchange(has_begun_, said->checkpoint && !has_begun_);
  checkpoints_->add_iterate(iteration, *output_,
                            {.busy = said->busy || is_old, .due = said->checkpoint && !is_old, .stops = stops});
  if (!stops) return;
  watch_.finish();
  output_->finish_snapshots();
  checkpoints_->finish();
  throw StoppedError(stops_.text(said->stop) + " in iteration " + std::to_string(iteration) + checkpoints_->advice());
}

}  // namespace halocline
