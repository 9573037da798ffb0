#include "solvers/linear/null_space_solver.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>

#include "solvers/linear/convergence.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

namespace {

std::string three_digits(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << value;
  return text.str();
}

}  // namespace

NullSpaceSolver::NullSpaceSolver(std::unique_ptr<LinearSolver> solver, std::string name, NullSpacePart part)
    : ForwardingSolver(std::move(solver)), name_(std::move(name)), part_(part) {}
NullSpaceSolver::~NullSpaceSolver() = default;

void NullSpaceSolver::prepare(Operator const& a) {
  constants_ = NullConstants::of(a);
  source_ = constants_ ? a.create_vector() : nullptr;
  operator_norm_ = constants_ ? a.norm_bound() : 0;
  inner().prepare(a);
}

SolveReport NullSpaceSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  SolveReport report = solve_in_image(a, b, x);
  report.fallbacks = inner().fallbacks();
  return report;
}

SolveReport NullSpaceSolver::solve_in_image(Operator const& a, Vector const& b, Vector& x) {
  inner().set_observer(observer());
  if (!constants_) return inner().solve(a, b, x);

  double const residual = std::sqrt(a.residual(b, x, *source_));
  double const b_norm = std::sqrt(b.square());
  double const target = criteria().target(residual, b_norm);
  double const rounding = rounding_level(x.precision(), operator_norm_, std::sqrt(x.square()), b_norm);
  bool const has_mean = constants_->null_part(*source_) > std::max(target, rounding);
  // Overflow and underflow are for the solver to report.
  if (has_mean && part_ == NullSpacePart::keep && !underflows(residual, *source_)) {
    SolveRecord record(name_, observer());
    record.measure(0, residual);
    return record.finish(Outcome::inconsistent, residual, constants_without_solution);
  }

  double const mean_of_guess = constants_->mean_of_solution(x);
  double const mean = constants_->mean_of_source(*source_);
  // Even if the criteria would allow it: methods fail when nothing else is left of the residual.
  source_->copy(b);
  constants_->add_to_source(-mean, *source_);
  SolveReport report = inner().solve(a, *source_, x);
  if (std::isnan(report.true_residual)) return report;
  constants_->add_to_solution(mean_of_guess - constants_->mean_of_solution(x), x);
  bool const is_silent = report.remark.empty() || report.remark == constants_in_null_space;
  if (reached(report.outcome) && is_silent) {
    report.remark = constants_in_null_space;
    if (has_mean) report.remark += "; a mean of " + three_digits(mean) + " was subtracted from the source";
  }
  return report;
}

}  // namespace halocline
