#include "solvers/linear/error_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/convergence.hpp"

namespace halocline {

namespace {

constexpr int inverse_steps = 2;
constexpr double inverse_tolerance = 1e-3;
constexpr int relaxations = 30;
constexpr double damping = 0.6;
/// Reduction of the residual in each of several solves, and the largest number of these.
constexpr double reduction = 1e-2;
constexpr int most_solves = 10;
/// Ratio of the remaining error's bound to the error, below which the estimate is trusted.
constexpr double enough = 1.0 / 3;
/// Size of d in units of the rounding of x's largest entry.
constexpr double shift = 64;

/// Runs a solver with other criteria and without observer; restores the criteria in the end.
class OwnCriteria {
 public:
  explicit OwnCriteria(LinearSolver& solver) : solver_(solver), criteria_(solver.criteria()) {
    solver.set_observer({});
  }
  ~OwnCriteria() { solver_.set_criteria(criteria_); }
  OwnCriteria(OwnCriteria const&) = delete;
  OwnCriteria& operator=(OwnCriteria const&) = delete;

  SolveReport solve(double relative, Index iterations, Operator const& a, Vector const& b, Vector& x) {
    solver_.set_criteria({.relative = relative, .absolute = 0, .iterations = iterations});
    return solver_.solve(a, b, x);
  }

 private:
  LinearSolver& solver_;
  Criteria criteria_;
};

}  // namespace

double norm_of(Vector const& x, Vector& spare) {
  double const largest = x.maximum();
  if (largest == 0 || !std::isfinite(1 / largest)) return largest;
  spare.copy(x);
  spare.scale(1 / largest);
  return largest * std::sqrt(spare.square());
}

void ErrorEstimator::prepare(Operator const& a, NullConstants const* constants) {
  constants_ = constants;
  inverse_norm_.reset();
  looked_for_inverse_ = false;
  for (auto* const vector : {&r_, &e_, &d_, &spare_}) *vector = a.create_vector();
}

ErrorEstimate ErrorEstimator::estimate(LinearSolver& solver, Operator const& a, Vector const& b, Vector const& x,
                                       Index left) {
  double const x_norm = norm_of(x, *spare_);
  static_cast<void>(a.residual(b, x, *r_));
  if (!(x_norm > 0)) {
    if (r_->maximum() == 0) return {.relative = 0, .doubt = {}};
    return {.relative = {}, .doubt = "the solution is zero, and the residual is not"};
  }
  if (!looked_for_inverse_) find_inverse_norm(solver, a, left);
  looked_for_inverse_ = true;
  find_residual(a, b, x);
  return estimate_of_residual(solver, a, x_norm, left);
}

void ErrorEstimator::find_residual(Operator const& a, Vector const& b, Vector const& x) {
  d_->randomize(1);
  d_->scale(shift * epsilon(x.precision()) * x.maximum());
  e_->copy(x);
  e_->add(1, *d_);
  // d as it was added, since x + d was rounded.
  d_->copy(*e_);
  d_->add(-1, x);
  static_cast<void>(a.residual(b, *e_, *r_));
  a.apply(*d_, *spare_);
  r_->add(1, *spare_);
  project();
}

void ErrorEstimator::project() {
  if (constants_ != nullptr) constants_->add_to_source(-constants_->mean_of_source(*r_), *r_);
}

ErrorEstimate ErrorEstimator::estimate_of_residual(LinearSolver& solver, Operator const& a, double x_norm, Index left) {
  double const size = r_->maximum();
  if (size == 0) return {.relative = 0, .doubt = {}};
  if (!std::isfinite(1 / size)) return {.relative = {}, .doubt = "the residual is out of the floating-point range"};
  r_->scale(1 / size);
  e_->fill(0);

  OwnCriteria own(solver);
  ErrorEstimate found{.relative = {}, .doubt = "the method does not solve for the error"};
  for (int n = 0; n < most_solves && left > 0; ++n) {
    SolveReport const report = own.solve(reduction, left, a, *r_, *e_);
    if (!reached(report.outcome) || !std::isfinite(report.true_residual)) {
      found.doubt = std::string("the solve for the error ended with ") + to_string(report.outcome);
      return found;
    }
    left -= std::max<Index>(report.iterations, 1);
    double const e_norm = norm_of(*e_, *spare_);
    double const rest = inverse_norm_.value_or(0) * report.true_residual;
    found.relative = (e_norm + rest) * (size / x_norm);
    if (!inverse_norm_) {
      found.doubt = "the method cannot estimate the norm of the inverse operator";
    } else if (rest <= enough * e_norm) {
      found.doubt.clear();
      return found;
    } else {
      found.doubt = "small eigenvalues of the operator may hide an error that the residual does not show";
    }
    if (report.outcome == Outcome::converged_to_rounding) break;
  }
  return found;
}

void ErrorEstimator::make_smooth_vector(Operator const& a) {
  r_->fill(0);
  e_->randomize(2);
  if (a.diagonal(*spare_)) {
    auto const steps = jacobi_steps(a);
    for (int n = 0; n < relaxations; ++n) {
      static_cast<void>(steps->step(damping, *r_, *e_, *d_));
      std::swap(e_, d_);
    }
  }
  double const size = e_->maximum();
  if (constants_ == nullptr) r_->fill(1);
  if (size > 0 && std::isfinite(1 / size)) r_->add(1 / size, *e_);
}

void ErrorEstimator::find_inverse_norm(LinearSolver& solver, Operator const& a, Index left) {
  try {
    make_smooth_vector(a);
  } catch (SolveError const&) {
    return;  // the diagonal has a zero
  }
  OwnCriteria own(solver);
  double largest = 0;
  for (int n = 0; n < inverse_steps; ++n) {
    project();
    e_->fill(0);
    SolveReport const report = own.solve(inverse_tolerance, left, a, *r_, *e_);
    if (!reached(report.outcome)) return;
    a.apply(*e_, *d_);
    double const image = norm_of(*d_, *spare_);
    double const norm = norm_of(*e_, *spare_);
    if (!(image > 0) || !std::isfinite(norm / image)) return;
    largest = std::max(largest, norm / image);
    r_->copy(*e_);
    r_->scale(1 / e_->maximum());
  }
  inverse_norm_ = largest;
}

}  // namespace halocline
