#pragma once

#include <span>
#include <vector>

#include "framework/operator/operator.hpp"
#include "solvers/linear/conjugate_gradients.hpp"

namespace halocline {

struct EigenvalueBounds {
  double smallest = 0;
  double largest = 0;
};

/// Smallest and largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and off-diagonal (one
/// shorter), by bisection with Sturm sequences (Golub and Van Loan, Matrix Computations, section 8.4.1), to a relative
/// 1e-15 of the largest magnitude. Throws DefectError for an empty matrix, UnsuitableOperator for one that is not
/// finite.
[[nodiscard]] EigenvalueBounds tridiagonal_bounds(std::span<double const> diagonal,
                                                  std::span<double const> off_diagonal);

/// Extreme Ritz values of M^-1 A from the steps of conjugate gradients preconditioned by M: eigenvalues of the Lanczos
/// matrix that alpha and beta define (Saad, Iterative Methods for Sparse Linear Systems, section 6.7.3). They lie
/// inside the spectrum and approach its ends as steps are added. Throws DefectError without coefficients.
[[nodiscard]] EigenvalueBounds lanczos_bounds(std::span<CgCoefficients const> coefficients);

/// Extreme Ritz values of A from `steps` steps of the Lanczos process (Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 6.15) from a random start that is the same for any partition. They lie inside the spectrum,
/// except for rounding, for any symmetric A (Paige, 1980, Linear Algebra and its Applications 34). NaN if a product is
/// not finite. Collective.
///
/// \param operator_norm Operator::norm_bound, finite
[[nodiscard]] EigenvalueBounds ritz_bounds(Operator const& a, double operator_norm, Index steps);

/// Extreme Ritz values of D^-1 A, D the diagonal, from `steps` steps of conjugate gradients on a random right-hand side
/// that is the same for any partition; both 1 for an operator without unknowns. Collective. Throws UnsuitableOperator
/// if the operator is not positive definite, or its diagonal is unknown or has a zero.
[[nodiscard]] EigenvalueBounds estimate_eigenvalues(Operator const& a, Index steps);

}  // namespace halocline
