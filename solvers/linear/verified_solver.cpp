#include "solvers/linear/verified_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/runtime/region.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/eigenvalues.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

namespace {

constexpr Index lanczos_steps = 20;
constexpr int most_digits = 6;
/// Relative change of the error's norm from one digit of the residual to the next that is taken for none.
constexpr double settled = 0.1;

/// 2-norm, also where squares of the entries are out of range. `spare` is spoilt.
double norm_of(Vector const& x, Vector& spare) {
  double const largest = x.maximum();
  if (largest == 0 || !std::isfinite(1 / largest)) return largest;
  spare.copy(x);
  spare.scale(1 / largest);
  return largest * std::sqrt(spare.square());
}

/// That what follows a solve may take. A solve to few digits takes fewer than it takes to know its error.
Index most_iterations(SolveReport const& report) { return std::max<Index>(4 * report.iterations, 1000); }

}  // namespace

VerifiedSolver::VerifiedSolver(std::unique_ptr<LinearSolver> solver, std::string name, OperatorNeed need,
                               NullSpacePart part)
    : solver_(std::move(solver)), name_(std::move(name)), need_(need), part_(part) {}
VerifiedSolver::~VerifiedSolver() = default;

void VerifiedSolver::prepare(Operator const& a) {
  r_ = a.create_vector();
  e_ = a.create_vector();
  spare_ = a.create_vector();
  {
    ScopedRegion const region("verification");
    found_ = {};
    obstacle_ = check(a);
  }
  if (obstacle_) return;
  solver_->prepare(a);
  ScopedRegion const region("verification");
  obstacle_ = check_preconditioner();
}

std::optional<VerifiedSolver::Obstacle> VerifiedSolver::check(Operator const& a) {
  constants_ = NullConstants::of(a);
  singular_ = constants_.has_value();
  operator_norm_ = a.norm_bound();
  if (!std::isfinite(operator_norm_)) return Obstacle{Outcome::not_a_number, "the norm of the operator is not finite"};
  if (need_ == OperatorNeed::nothing) return std::nullopt;
  found_.symmetry_defect = symmetry_defect(a, operator_norm_);
  if (std::isnan(*found_.symmetry_defect)) {
    return Obstacle{Outcome::not_a_number, "the operator makes no finite numbers of random ones"};
  }
  if (!is_symmetric(*found_.symmetry_defect, r_->precision())) {
    return Obstacle{Outcome::unsymmetric, "the method needs a symmetric operator; take gmres or bicgstab"};
  }
  if (need_ == OperatorNeed::symmetric) return std::nullopt;
  double const smallest = ritz_bounds(a, operator_norm_, lanczos_steps).smallest;
  found_.smallest_ritz_value = smallest;
  // Every step adds what rounding allows A v.
  double const rounding = static_cast<double>(lanczos_steps) * rounding_level(r_->precision(), operator_norm_, 1, 0);
  if (smallest < -rounding) {
    return Obstacle{Outcome::indefinite,
                    "an eigenvalue is negative, and the method needs a positive definite operator; take minres"};
  }
  singular_ = singular_ || smallest <= rounding;
  return std::nullopt;
}

std::optional<VerifiedSolver::Obstacle> VerifiedSolver::check_preconditioner() {
  Preconditioner* const m = solver_->symmetric_preconditioner();
  if (m == nullptr) return std::nullopt;
  PreconditionerProducts const products = preconditioner_products(*m, *r_, *spare_, *e_);
  found_.preconditioner_symmetry_defect = products.symmetry_defect;
  if (std::isnan(products.symmetry_defect) || std::isnan(products.smallest_product)) {
    return Obstacle{Outcome::not_a_number, "the preconditioner makes no finite numbers of random ones"};
  }
  if (!is_symmetric(products)) {
    return Obstacle{Outcome::unsymmetric,
                    "the preconditioner is not symmetric; take `flexible: true` of cg, or another preconditioner"};
  }
  if (!(products.smallest_product > 0)) {
    return Obstacle{Outcome::indefinite, "the preconditioner is not positive definite; choose another one"};
  }
  return std::nullopt;
}

SolveReport VerifiedSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  if (obstacle_) return refuse(a, b, x);
  if (constants_) constant_ = constants_->mean_of_solution(x);
  solver_->set_observer(observer());
  SolveReport report = solver_->solve(a, b, x);
  ScopedRegion const region("verification");
  report.verification = found_;
  if (std::isfinite(report.true_residual)) judge(a, b, x, report);
  return report;
}

SolveReport VerifiedSolver::refuse(Operator const& a, Vector const& b, Vector const& x) {
  SolveRecord record(name_, observer());
  double const residual = std::sqrt(a.residual(b, x, *r_));
  record.measure(0, residual);
  SolveReport report = record.finish(obstacle_->outcome, residual, obstacle_->remark);
  report.verification = found_;
  return report;
}

void VerifiedSolver::judge(Operator const& a, Vector const& b, Vector const& x, SolveReport& report) {
  static_cast<void>(a.residual(b, x, *r_));
  if (report.outcome != Outcome::converged && has_no_solution(a, b, x, report)) {
    report.outcome = Outcome::inconsistent;
    report.remark = constants_ ? constants_without_solution
                               : "the operator is singular, and the right-hand side has a part in its null space; "
                                 "subtract that part";
    return;
  }
  if (!reached(report.outcome)) return;
  if (singular_ && report.remark.empty()) {
    report.remark = constants_ ? constants_in_null_space : "the operator is singular: the solution is one of many";
  }
  report.verification->error_estimate = error_estimate(a, x, most_iterations(report));
}

bool VerifiedSolver::has_no_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport const& report) {
  if (part_ == NullSpacePart::project && constants_) return false;
  double const defect = found_.symmetry_defect ? *found_.symmetry_defect : symmetry_defect(a, operator_norm_);
  // Only of a symmetric A is the null space orthogonal to all A x.
  if (!is_symmetric(defect, x.precision())) return false;
  double const target = criteria().target(report.initial_residual, norm_of(b, *spare_));
  double const limit = std::max(target, rounding_at(b, x, report));
  if (constants_) return constants_->null_part(b) > limit;
  return !reached(report.outcome) && has_null_part(a, b, limit, most_iterations(report));
}

/// Whether the part of b in the null space is longer than `limit`: A y = A b has a solution always, and b - y is that
/// part.
bool VerifiedSolver::has_null_part(Operator const& a, Vector const& b, double limit, Index left) {
  Minres minimal({});
  minimal.prepare(a);
  auto const y = a.create_vector();
  e_->copy(b);
  // What rounding leaves of the first solve is large beside a small part, but not beside that of the next one.
  while (left > 0 && norm_of(*e_, *spare_) > limit) {
    if (in_null_space(a, operator_norm_, *e_, *spare_)) return true;
    minimal.set_criteria({.relative = 1e-8, .absolute = 0, .iterations = left});
    a.apply(*e_, *r_);
    y->fill(0);
    SolveReport const report = minimal.solve(a, *r_, *y);
    if (std::isnan(report.true_residual)) return false;
    e_->add(-1, *y);
    left -= std::max<Index>(report.iterations, 1);
  }
  return false;
}

/// What rounding explains of b - A x. Where x has failed or grown along the constants it may explain everything, so
/// that counts no longer.
double VerifiedSolver::rounding_at(Vector const& b, Vector const& x, SolveReport const& report) {
  double x_norm = 0;
  if (reached(report.outcome)) {
    e_->copy(x);
    if (constants_) constants_->add_to_solution(constant_ - constants_->mean_of_solution(*e_), *e_);
    x_norm = norm_of(*e_, *spare_);
  }
  return rounding_level(x.precision(), operator_norm_, x_norm, norm_of(b, *spare_));
}

std::optional<double> VerifiedSolver::error_estimate(Operator const& a, Vector const& x, Index left) {
  double const x_norm = norm_of(x, *spare_);
  if (constants_) constants_->add_to_source(-constants_->mean_of_source(*r_), *r_);
  double const size = r_->maximum();
  if (size == 0) return 0;
  if (!(x_norm > 0) || !std::isfinite(1 / size)) return std::nullopt;
  r_->scale(1 / size);

  Criteria const own = solver_->criteria();
  solver_->set_observer({});
  e_->fill(0);
  std::optional<double> estimate;
  double before = 0;
  for (int digit = 0; digit < most_digits && left > 0 && !estimate; ++digit) {
    solver_->set_criteria({.relative = 0.1, .absolute = 0, .iterations = left});
    SolveReport const report = solver_->solve(a, *r_, *e_);
    if (!reached(report.outcome)) break;
    left -= report.iterations;
    double const e_norm = norm_of(*e_, *spare_);
    bool const best = report.outcome == Outcome::converged_to_rounding;
    if (best || std::abs(e_norm - before) <= settled * e_norm) estimate = e_norm * (size / x_norm);
    before = e_norm;
  }
  solver_->set_criteria(own);
  return estimate;
}

}  // namespace halocline
