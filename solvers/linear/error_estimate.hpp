#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// What is known of a solution's error.
struct ErrorEstimate {
  std::optional<double> relative;  ///< of ||x - A^-1 b|| / ||x||, 2-norms
  std::string doubt;               ///< why it is missing, or cannot be trusted; empty where it can
};

/// 2-norm, also where squares of the entries are out of range. `spare` is spoilt.
[[nodiscard]] double norm_of(Vector const& x, Vector& spare);

/// Estimates the error of a solution x by a solve of A e = b - A x with the method that made it.
///
/// What that leaves, ||b - A x - A e|| ||A^-1||, bounds the error of e. A lower bound of ||A^-1|| is found by two steps
/// of inverse iteration, ||w|| / ||A w|| with A w = v (Golub and Van Loan, Matrix Computations, 4th edition, section
/// 8.2), from a v that has what simple iterations leave of random numbers (algebraically smooth, as in adaptive
/// multigrid: Brezina and others, 2004, SIAM Journal on Scientific Computing 25), and constants. The estimate is
/// trusted where that bound is below a third of ||e||; then it is ||e|| and the bound. Two steps come near the norm,
/// but are no proof of it.
///
/// b - A x is computed as b - A (x + d) + A d with tiny random numbers d, so that its rounding errors are others than
/// those that the method has made as small as the rest: where b - A x is all rounding, e is of the size of what
/// rounding may have done to x.
class ErrorEstimator {
 public:
  /// \param constants null where constants are not in the null space; lives as long as the operator
  void prepare(Operator const& a, NullConstants const* constants);

  /// \param left most iterations for A e = b - A x, and for the first estimate as many for ||A^-1||
  [[nodiscard]] ErrorEstimate estimate(LinearSolver& solver, Operator const& a, Vector const& b, Vector const& x,
                                       Index left);

 private:
  [[nodiscard]] ErrorEstimate estimate_of_residual(LinearSolver& solver, Operator const& a, double x_norm, Index left);
  void find_residual(Operator const& a, Vector const& b, Vector const& x);
  void find_inverse_norm(LinearSolver& solver, Operator const& a, Index left);
  /// v in r_.
  void make_smooth_vector(Operator const& a);
  /// Takes the part off that no A x has.
  void project();

  NullConstants const* constants_ = nullptr;
  std::optional<double> inverse_norm_;  ///< of A
  bool looked_for_inverse_ = false;
  std::unique_ptr<Vector> r_, e_, d_, spare_;
};

}  // namespace halocline
