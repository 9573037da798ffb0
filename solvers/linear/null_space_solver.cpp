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
    : solver_(std::move(solver)), name_(std::move(name)), part_(part) {}
NullSpaceSolver::~NullSpaceSolver() = default;

void NullSpaceSolver::prepare(Operator const& a) {
  source_.reset();
  ones_ = a.create_vector();
  ones_->fill(1);
  operator_norm_ = a.norm_bound();
  auto product = a.create_vector();
  bool const is_singular = std::isfinite(operator_norm_) &&
                           has_constants_in_null_space(a, operator_norm_, *ones_, *product) &&
                           is_symmetric(symmetry_defect(a, operator_norm_), ones_->precision());
  if (is_singular) {
    source_ = std::move(product);
  } else {
    ones_.reset();
    product.reset();
  }
  solver_->prepare(a);
}

SolveReport NullSpaceSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  solver_->set_observer(observer());
  if (!ones_) return solver_->solve(a, b, x);

  double const residual = std::sqrt(a.residual(b, x, *source_));
  double const mean = mean_of(*ones_, *source_);
  double const unknowns = ones_->square();
  double const b_norm = std::sqrt(b.square());
  double const target = criteria().target(residual, b_norm);
  double const rounding = rounding_level(x.precision(), operator_norm_, std::sqrt(x.square()), b_norm);
  bool const has_mean = std::abs(mean) * std::sqrt(unknowns) > std::max(target, rounding);
  if (has_mean && part_ == NullSpacePart::keep) {
    SolveRecord record(name_, observer());
    record.measure(0, residual);
    return record.finish(Outcome::inconsistent, residual, constants_without_solution);
  }

  double const mean_of_guess = mean_of(*ones_, x);
  if (has_mean) {
    source_->copy(b);
    source_->add(-mean, *ones_);
  }
  SolveReport report = solver_->solve(a, has_mean ? *source_ : b, x);
  if (std::isnan(report.true_residual)) return report;
  x.add(mean_of_guess - mean_of(*ones_, x), *ones_);
  if (reached(report.outcome) && report.remark.empty()) {
    report.remark = constants_in_null_space;
    if (has_mean) report.remark += "; a mean of " + three_digits(mean) + " was taken off the right-hand side";
  }
  return report;
}

}  // namespace halocline
