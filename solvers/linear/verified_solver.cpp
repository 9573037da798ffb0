#include "solvers/linear/verified_solver.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>

#include "framework/runtime/region.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/eigenvalues.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

namespace {

constexpr Index lanczos_steps = 20;

std::string two_digits(double value) {
  std::ostringstream text;
  text << std::setprecision(2) << value;
  return text.str();
}

/// A sentence if an estimate does not meet the demand; otherwise empty.
std::string complaint_of(ErrorEstimate const& estimate, double most) {
  if (!estimate.relative) {
    return "the error of the solution is unknown: " + estimate.doubt + "; use another method or preconditioner";
  }
  std::string const size = two_digits(*estimate.relative) + " of the solution";
  // Written so that NaN is included.
  if (!(*estimate.relative <= most)) {
    return "the error of the solution is estimated at " + size + ", more than `solver.verify.error`, " +
           shortest_text(most) + (estimate.doubt.empty() ? "" : ", and may be larger: " + estimate.doubt) +
           "; lower the tolerance, or use another preconditioner";
  }
  if (estimate.doubt.empty()) return "";
  return "the error of the solution is estimated at " + size + ", but this estimate is unreliable: " + estimate.doubt +
         "; use another method or preconditioner";
}

/// Most iterations of the checks after a solve. A solve to few digits takes fewer than an estimate of its error.
Index most_iterations(SolveReport const& report) { return std::max<Index>(4 * report.iterations, 1000); }

}  // namespace

VerifiedSolver::VerifiedSolver(std::unique_ptr<LinearSolver> solver, std::string name, OperatorNeed need,
                               NullSpacePart part, ErrorDemand const& demand)
    : ForwardingSolver(std::move(solver)), name_(std::move(name)), need_(need), part_(part), demand_(demand) {}
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
  estimator_.prepare(a, constants_ ? &*constants_ : nullptr);
  inner().prepare(a);
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
    return Obstacle{Outcome::not_a_number, "the operator applied to random numbers gives values that are not finite"};
  }
  if (!is_symmetric(*found_.symmetry_defect, r_->precision())) {
    return Obstacle{Outcome::unsymmetric, "the method needs a symmetric operator; use gmres or bicgstab"};
  }
  if (need_ == OperatorNeed::symmetric) return std::nullopt;
  double const smallest = ritz_bounds(a, operator_norm_, lanczos_steps).smallest;
  found_.smallest_ritz_value = smallest;
  // Every step adds the rounding level of A v.
  double const rounding = static_cast<double>(lanczos_steps) * rounding_level(r_->precision(), operator_norm_, 1, 0);
  if (smallest < -rounding) {
    return Obstacle{Outcome::indefinite,
                    "an eigenvalue is negative, but the method needs a positive definite operator; use minres"};
  }
  singular_ = singular_ || smallest <= rounding;
  return std::nullopt;
}

std::optional<VerifiedSolver::Obstacle> VerifiedSolver::check_preconditioner() {
  Preconditioner* const m = inner().symmetric_preconditioner();
  if (m == nullptr) return std::nullopt;
  PreconditionerProducts const products = preconditioner_products(*m, *r_, *spare_, *e_);
  found_.preconditioner_symmetry_defect = products.symmetry_defect;
  if (std::isnan(products.symmetry_defect) || std::isnan(products.smallest_product)) {
    return Obstacle{Outcome::not_a_number,
                    "the preconditioner applied to random numbers gives values that are not finite"};
  }
  if (!is_symmetric(products)) {
    return Obstacle{Outcome::unsymmetric,
                    "the preconditioner is not symmetric; use `flexible: true` of cg, or another preconditioner"};
  }
  if (!(products.smallest_product > 0)) {
    return Obstacle{Outcome::indefinite, "the preconditioner is not positive definite; choose another one"};
  }
  return std::nullopt;
}

SolveReport VerifiedSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  if (obstacle_) return refuse(a, b, x);
  if (constants_) constant_ = constants_->mean_of_solution(x);
  inner().set_observer(observer());
  SolveReport report = inner().solve(a, b, x);
  ScopedRegion const region("verification");
  report.verification = found_;
  if (std::isfinite(report.true_residual)) check_solution(a, b, x, report);
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

void VerifiedSolver::check_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport& report) {
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
    report.remark = constants_ ? constants_in_null_space : "the operator is singular: the solution is not unique";
  }
  check_error(a, b, x, report);
}

void VerifiedSolver::check_error(Operator const& a, Vector const& b, Vector const& x, SolveReport& report) {
  ErrorEstimate estimate = estimator_.estimate(inner(), a, b, x, most_iterations(report));
  if (singular_ && !constants_ && estimate.doubt.empty()) estimate.doubt = "the operator is singular";
  report.verification->error_estimate = estimate.relative;
  report.verification->doubt = estimate.doubt;
  std::string const complaint = complaint_of(estimate, demand_.error);
  if (complaint.empty()) return;
  if (demand_.fails) {
    report.outcome = Outcome::unverified;
    report.remark = complaint;
  } else {
    report.verification->complaint = complaint;
  }
}

bool VerifiedSolver::has_no_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport const& report) {
  if (part_ == NullSpacePart::project && constants_) return false;
  double const defect = found_.symmetry_defect ? *found_.symmetry_defect : symmetry_defect(a, operator_norm_);
  // Only for a symmetric A is the null space orthogonal to the range.
  if (!is_symmetric(defect, x.precision())) return false;
  double const target = criteria().target(report.initial_residual, norm_of(b, *spare_));
  double const limit = std::max(target, rounding_at(b, x, report));
  if (constants_) return constants_->null_part(b) > limit;
  return !reached(report.outcome) && has_null_part(a, b, limit, most_iterations(report));
}

/// Whether the part of b in the null space is longer than `limit`. A y = A b always has a solution, and b - y is that
/// part.
bool VerifiedSolver::has_null_part(Operator const& a, Vector const& b, double limit, Index left) {
  Minres minimal({});
  minimal.prepare(a);
  auto const y = a.create_vector();
  e_->copy(b);
  // The rounding errors of the first solve are large compared with a small part, but not those of the next solve.
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

/// The rounding level of b - A x. An x of a failed solve, or the growth of x along the constants, would make it explain
/// any residual: both are left out.
double VerifiedSolver::rounding_at(Vector const& b, Vector const& x, SolveReport const& report) {
  double x_norm = 0;
  if (reached(report.outcome)) {
    e_->copy(x);
    if (constants_) constants_->add_to_solution(constant_ - constants_->mean_of_solution(*e_), *e_);
    x_norm = norm_of(*e_, *spare_);
  }
  return rounding_level(x.precision(), operator_norm_, x_norm, norm_of(b, *spare_));
}

}  // namespace halocline
