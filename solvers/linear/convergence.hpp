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
/// Evaluating b - A x with m entries a row is wrong by at most (m + 2) epsilon / 2 (|A| |x| + |b|) (Higham, Accuracy
/// and Stability of Numerical Algorithms, 2nd edition, section 7.1), so c covers every stencil up to 18 entries at its
/// worst and larger ones as errors of random sign add up. Zero where the bound is no finite number: nothing is
/// explained then.
[[nodiscard]] double rounding_level(Precision precision, double operator_norm, double x_norm, double b_norm);

/// Whether squares of entries of a vector that is not zero are lost, so that its 2-norm says nothing.
[[nodiscard]] bool underflows(double norm, Vector const& x);
inline constexpr char const* stalled_remark =
    "the residual no longer falls, and rounding does not explain it; choose a stronger preconditioner, or verify: true";
inline constexpr char const* descent_stalled_remark =
    "the error no longer falls in the norm that the method makes smaller; choose another preconditioner, or verify: "
    "true";
inline constexpr char const* underflow_remark = "the residual is too small to be squared; scale the problem";

/// How a solve failed, and what can be done.
struct Failure {
  Outcome outcome;
  std::string remark;
};
/// Why a norm of x, or a product with it, is no finite number: `overflow` where it is infinite and no entry of x is,
/// otherwise `not_a_number`.
[[nodiscard]] Failure why_not_finite(double value, Vector const& x);

/// Judges the residuals of one solve as they come. Every comparison is written so that a NaN fails it.
///
/// Methods that make another norm than that of the residual smaller in every iteration stall where that norm no longer
/// falls: by less over a plateau than by epsilon^2 of all that its square fell. Of errors in the energy norm that is
/// rounding: ||r||^2 / ||A|| is less than what one step takes off, so r is below epsilon ||A|| ||x|| then.
class Convergence {
 public:
  explicit Convergence(Criteria const& criteria) : criteria_(criteria) {}

  /// Takes the initial residual and the norm of the right-hand side: the relative criterion is measured from one of
  /// them.
  void begin(double initial, double right_hand_side);
  /// Takes one more residual; says how the solve failed, if it did: not a number or diverged (grown by 1e10).
  [[nodiscard]] std::optional<Failure> failure(double residual);
  /// Takes by how much the square of the norm fell that the method makes smaller in every iteration.
  void descend(double decrease) { descent_ += decrease; }

  [[nodiscard]] bool reached(double residual) const { return residual <= target_; }
  /// Whether one of the last few residuals given to `failure` was the smallest one so far. Noise of rounding errors may
  /// hide for some iterations that there is more to gain.
  [[nodiscard]] bool falling() const { return since_smallest_ < 10; }
  /// Above this `failure` calls a residual diverged.
  [[nodiscard]] double most() const;
  /// Residuals since the smallest one so far.
  [[nodiscard]] Index since_smallest() const { return since_smallest_; }

  /// Whether no residual was smaller for a while: of 1000, and half of all before. That alone is no stall: what
  /// `descend` is told may have fallen all the time.
  [[nodiscard]] bool on_plateau() const { return patience() <= 0; }
  /// So many more residuals may be given to `failure` before they can be a plateau.
  [[nodiscard]] Index patience() const { return plateau_ - on_plateau_; }
  /// Where the plateau is over: whether the norm of `descend` has fallen on it by more than rounding; the next one
  /// begins.
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
  double descent_ = 0;             ///< all that `descend` was told
  double descent_at_plateau_ = 0;  ///< … when the plateau began
  Index on_plateau_ = 0;           ///< residuals of the plateau
  Index plateau_ = 0;              ///< its length
};

}  // namespace halocline
