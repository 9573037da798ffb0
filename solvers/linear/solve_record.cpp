#include "solvers/linear/solve_record.hpp"

#include <utility>

#include "framework/runtime/throw_site.hpp"

namespace halocline {

SolveRecord::SolveRecord(std::string method, IterationObserver const& observer) : observer_(observer) {
  throw_site(ThrowSite::solve);
  report_.method = std::move(method);
}

void SolveRecord::measure(Index iteration, double residual) {
  if (report_.history.empty()) report_.initial_residual = residual;
  report_.iterations = iteration;
  report_.final_residual = residual;
  report_.history.push_back(residual);
  report_.measured.push_back(iteration);
  if (observer_) observer_(iteration, residual);
}

void SolveRecord::append(SolveReport const& inner) {
  Index const done = report_.iterations;
  // The first entry repeats the last residual of this solve.
  for (std::size_t n = report_.history.empty() ? 0 : 1; n < inner.history.size(); ++n) {
    measure(done + inner.measured[n], inner.history[n]);
  }
  report_.iterations = done + inner.iterations;
}

SolveReport SolveRecord::finish(Outcome outcome, double true_residual, std::string remark) {
  report_.outcome = outcome;
  report_.true_residual = true_residual;
  report_.remark = std::move(remark);
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return std::move(report_);
}

}  // namespace halocline
