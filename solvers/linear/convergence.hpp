#pragma once

#include <limits>
#include <optional>
#include <string>

#include "framework/operator/solve_report.hpp"
#include "framework/operator/vector.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Unit of the last place of 1 in a precision.
[[nodiscard]] double epsilon(Precision precision);

/// c in rounding_level.
inline constexpr double rounding_factor = 10;

/// The 2-norm of a residual that rounding alone can explain: c epsilon (||A|| ||x|| + ||b||) with c = 10.
///
/// The evaluation of b - A x with m entries per row has an error of at most (m + 2) epsilon / 2 (|A| |x| + |b|)
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 7.1). So c covers the worst case of
/// stencils up to 18 entries, and larger ones if their errors have random signs. Zero if the bound is not finite: then
/// rounding explains nothing.
[[nodiscard]] double rounding_level(Precision precision, double operator_norm, double x_norm, double b_norm);

/// Whether the squares of a non-zero vector's entries underflow, so that its 2-norm is meaningless.
[[nodiscard]] bool underflows(double norm, Vector const& x);
inline constexpr char const* stalled_remark =
    "the residual no longer falls, and rounding does not explain it; choose a stronger preconditioner, or verify: true";
inline constexpr char const* descent_stalled_remark =
    "the error no longer falls in the norm that the method minimises; choose another preconditioner, or verify: true";
inline constexpr char const* underflow_remark = "the residual is too small to be squared; scale the problem";

/// How a solve failed, with advice.
struct Failure {
  Outcome outcome;
  std::string remark;
};
/// Why a norm of x, or a product with it, is not finite: `overflow` if it is infinite but no entry of x is, otherwise
/// `not_a_number`.
[[nodiscard]] Failure why_not_finite(double value, Vector const& x);

/// Monitors the residuals of one solve. Every comparison is written so that NaN fails it.
///
/// A method that decreases some other norm in every iteration stalls when that norm no longer falls: when its square's
/// decrease over a plateau is below epsilon^2 of its total decrease. For the energy norm of the error, that is
/// rounding: ||r||^2 / ||A|| is less than the decrease of one step, so r is then below epsilon ||A|| ||x||.
class Convergence {
 public:
  explicit Convergence(Criteria const& criteria) : criteria_(criteria) {}

  /// Takes the initial residual and the norm of the right-hand side, one of which the relative criterion refers to.
  void begin(double initial, double right_hand_side);
  /// Takes the next residual. Returns the failure, if any: not a number, or diverged (grown by 1e10).
  [[nodiscard]] std::optional<Failure> failure(double residual);
  /// Takes the decrease of the square of the norm that the method reduces in every iteration.
  void descend(double decrease) { descent_ += decrease; }

  [[nodiscard]] bool reached(double residual) const { return residual <= target_; }
  /// Whether one of the last few residuals given to `failure` was the smallest one so far. Noise of rounding errors may
  /// hide further gains for some iterations.
  [[nodiscard]] bool falling() const { return since_smallest_ < 10; }
  /// The largest residual that `failure` does not call diverged.
  [[nodiscard]] double most() const;
  /// Number of residuals since the smallest one.
  [[nodiscard]] Index since_smallest() const { return since_smallest_; }

  /// Whether the last residuals brought no new minimum: at least 1000, and half as many as came before. That alone is
  /// not a stall, because the norm of `descend` may still have fallen.
  [[nodiscard]] bool on_plateau() const { return until_plateau() <= 0; }
  /// How many more residuals can be given to `failure` before there is a plateau.
  [[nodiscard]] Index until_plateau() const { return plateau_ - on_plateau_; }
  /// At the end of a plateau: returns whether the norm of `descend` has fallen on it by more than rounding, and begins
  /// the next one.
  [[nodiscard]] bool descended(Precision precision);
  [[nodiscard]] double target() const { return target_; }
  [[nodiscard]] double initial() const { return initial_; }
  [[nodiscard]] Criteria const& criteria() const { return criteria_; }

 private:
  void begin_plateau();

  Criteria criteria_;
  double initial_ = 0;
  double target_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  Index residuals_ = 0;
  Index since_smallest_ = 0;
  double descent_ = 0;             ///< sum of the decreases given to `descend`
  double descent_at_plateau_ = 0;  ///< … at the start of the plateau
  Index on_plateau_ = 0;           ///< number of residuals on the plateau
  Index plateau_ = 0;              ///< length that a plateau must reach
};

}  // namespace halocline
