#include "solvers/multigrid/refinement.hpp"

#include <cmath>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/single_precision.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {
namespace {

/// Ratio of the residuals after and before an iteration, above which later iterations use steepest descent.
constexpr double well_reduced = 0.5;
/// Number of consecutive iterations with almost no gain after which the rounding level is checked.
constexpr int fruitless = 3;
constexpr double gained = 0.9;
/// Number of residuals without a new minimum that is a stall. Steepest descent decreases the energy norm of the error,
/// so the 2-norm of the residual cannot rise for long.
constexpr Index stall = 1000;

}  // namespace

/// One solve.
class MultigridRefinement::Solve {
 public:
  Solve(MultigridRefinement& solver, Vector const& b, Vector& x)
      : s_(solver), b_(b), x_(x), convergence_(solver.criteria_), record_("multigrid", solver.observer()) {}

  SolveReport run() {
    if (!s_.obstacle_.empty()) return end({Outcome::breakdown, s_.obstacle_});
    if (auto failure = begin()) return end(std::move(*failure));
    for (Index iteration = 1; !convergence_.reached(residual_); ++iteration) {
      if (fruitless_ >= fruitless && residual_ <= rounding()) return end({Outcome::converged_to_rounding, {}});
      if (convergence_.since_smallest() >= stall) return end({Outcome::stalled, stalled_remark});
      if (iteration > convergence_.criteria().iterations) {
        return end({Outcome::iteration_limit, multigrid_is_slow});
      }
      if (auto failure = correct(iteration == 1)) return end(std::move(*failure));
      double const before = residual_;
      find_residual();
      record_.measure(iteration, residual_);
      if (!std::isfinite(residual_)) return end(why_not_finite(residual_, *s_.r_));
      if (auto failure = convergence_.failure(residual_)) return end(std::move(*failure));
      descends_ = descends_ || !(residual_ <= well_reduced * before);
      fruitless_ = residual_ <= gained * before ? 0 : fruitless_ + 1;
    }
    return end({Outcome::converged, {}});
  }

 private:
  std::optional<Failure> begin() {
    b_norm_ = std::sqrt(b_.square());
    double const x_norm = std::sqrt(x_.square());
    if (!std::isfinite(b_norm_)) return begin_badly(b_norm_, b_);
    if (!std::isfinite(x_norm)) return begin_badly(x_norm, x_);
    // Scaled by an upper bound of b - A x, so that rounding does not leave the range of single precision.
    scale_ = scale_of(b_norm_ + s_.operator_norm_ * x_norm);
    find_residual();
    record_.measure(0, residual_);
    if (!std::isfinite(residual_)) return why_not_finite(residual_, *s_.r_);
    if (underflows(b_norm_, b_)) return Failure{Outcome::breakdown, underflow_remark};
    convergence_.begin(residual_, b_norm_);
    // The bound may have been far too large.
    if (scale_of(residual_) > 0x1p20 * scale_ && !convergence_.reached(residual_)) {
      scale_ = scale_of(residual_);
      find_residual();
    }
    return std::nullopt;
  }
  std::optional<Failure> begin_badly(double norm, Vector const& of) {
    residual_ = norm;
    record_.measure(0, norm);
    return why_not_finite(norm, of);
  }

  /// The power of two that scales entries of a vector with this norm to about one.
  [[nodiscard]] double scale_of(double norm) const {
    double const entry = norm / std::sqrt(static_cast<double>(b_.size()));
    return entry > 0 ? power_of_two(-std::log2(entry)) : 1;
  }

  /// r = scale (b - A x)
  void find_residual() { residual_ = std::sqrt(s_.rounded_->residual(scale_, b_, x_, *s_.r_)); }

  /// x = x + length M^-1 (b - A x)
  std::optional<Failure> correct(bool is_first) {
    if (is_first && s_.cycles_.has_start())
      s_.cycles_.start(*s_.r_, *s_.z_);
    else
      s_.cycles_.apply(*s_.r_, *s_.z_);
    double length = 1;
    if (descends_) {
      if (s_.image_ == nullptr) s_.image_ = s_.rounded_->rounded().create_vector();
      double const descent = s_.z_->dot(*s_.r_);
      double const curvature = apply_dot(s_.rounded_->rounded(), *s_.z_, *s_.image_);
      if (!std::isfinite(descent)) return why_not_finite(descent, *s_.z_);
      if (!std::isfinite(curvature)) return why_not_finite(curvature, *s_.image_);
      if (!(descent > 0) || !(curvature > 0)) {
        return Failure{Outcome::indefinite, multigrid_needs_definite};
      }
      length = descent / curvature;
    }
    x_.add_converted(length / scale_, *s_.z_);
    scale_ = scale_of(residual_);
    return std::nullopt;
  }

  [[nodiscard]] double rounding() const {
    return rounding_level(x_.precision(), s_.operator_norm_, std::sqrt(x_.square()), b_norm_);
  }

  SolveReport end(Failure how) {
    double const true_residual = how.outcome == Outcome::not_a_number ? std::nan("") : residual_;
    return record_.finish(how.outcome, true_residual, std::move(how.remark));
  }

  MultigridRefinement& s_;
  Vector const& b_;
  Vector& x_;
  Convergence convergence_;
  SolveRecord record_;
  double scale_ = 1;
  double residual_ = 0;
  double b_norm_ = 0;
  bool descends_ = false;
  int fruitless_ = 0;
};

MultigridRefinement::MultigridRefinement(Criteria const& criteria, MultigridSettings const& settings)
    : criteria_(criteria), cycles_(settings), plain_(criteria, settings) {}

void MultigridRefinement::prepare(Operator const& a) {
  obstacle_.clear();
  is_plain_ = a.create_vector()->precision() == Precision::single;
  if (is_plain_) return plain_.prepare(a);
  operator_norm_ = a.norm_bound();
  image_.reset();
  try {
    rounded_ = require_single_precision(a);
    r_ = rounded_->rounded().create_vector();
    z_ = rounded_->rounded().create_vector();
    cycles_.prepare(rounded_->rounded());
  } catch (UnsuitableOperator const& error) {
    obstacle_ = error.what();
  }
}

SolveReport MultigridRefinement::solve(Operator const& a, Vector const& b, Vector& x) {
  require_prepared(is_plain_ || rounded_ != nullptr || !obstacle_.empty());
  if (!is_plain_) return Solve(*this, b, x).run();
  plain_.set_observer(observer());
  return plain_.solve(a, b, x);
}

}  // namespace halocline
