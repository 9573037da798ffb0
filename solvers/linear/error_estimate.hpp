#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Estimate of a solution's error.
struct ErrorEstimate {
  std::optional<double> relative;  ///< of ||x - A^-1 b|| / ||x||, 2-norms
  std::string doubt;               ///< why it is missing or unreliable; empty if it is reliable
};

/// 2-norm, also if squares of the entries are out of range. Overwrites `spare`.
[[nodiscard]] double norm_of(Vector const& x, Vector& spare);

/// Estimates the error of a solution x by solving A e = b - A x with the same method.
///
/// The error of e is bounded by ||b - A x - A e|| ||A^-1||. A lower bound of ||A^-1|| is found by two steps of inverse
/// iteration, ||w|| / ||A w|| with A w = v (Golub and Van Loan, Matrix Computations, 4th edition, section 8.2). v is
/// the sum of constants and of random numbers after some simple iterations (algebraically smooth, as in adaptive
/// multigrid: Brezina and others, 2004, SIAM Journal on Scientific Computing 25). The estimate is trusted if the bound
/// is at most a third of ||e||; then it is ||e|| plus the bound. Two steps come near ||A^-1||, but do not prove it.
///
/// b - A x is computed as b - A (x + d) + A d with tiny random numbers d, so that its rounding errors differ from those
/// that the method has reduced with the rest. If b - A x consists of rounding errors, e has the size of the effect that
/// rounding may have on x.
class ErrorEstimator {
 public:
  /// \param constants null if constants are not in the null space; must live as long as the operator
  void prepare(Operator const& a, NullConstants const* constants);

  /// \param left most iterations for A e = b - A x, and in the first estimate as many for ||A^-1||
  [[nodiscard]] ErrorEstimate estimate(LinearSolver& solver, Operator const& a, Vector const& b, Vector const& x,
                                       Index left);

 private:
  [[nodiscard]] ErrorEstimate estimate_of_residual(LinearSolver& solver, Operator const& a, double x_norm, Index left);
  void find_residual(Operator const& a, Vector const& b, Vector const& x);
  void find_inverse_norm(LinearSolver& solver, Operator const& a, Index left);
  /// Stores v in r_.
  void make_smooth_vector(Operator const& a);
  /// Projects r_ onto the range of A.
  void project();

  NullConstants const* constants_ = nullptr;
  std::optional<double> inverse_norm_;  ///< norm of the inverse of A
  bool looked_for_inverse_ = false;
  std::unique_ptr<Vector> r_, e_, d_, spare_;
};

}  // namespace halocline
