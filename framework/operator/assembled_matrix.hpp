#pragma once

#include <memory>

#include "framework/operator/vector.hpp"

namespace halocline {

/// z = M^-1 r with a preconditioner M made from a matrix.
class MatrixSolve {
 public:
  virtual ~MatrixSolve() = default;
  virtual void apply(Vector const& r, Vector& z) = 0;
};

/// Preconditioners of an operator with stored entries, as a capability. Each M uses the rows of one block at a time,
/// without their couplings to other blocks or across a periodic seam (block Jacobi). So M depends on the number of
/// ranks, and is symmetric positive definite where the matrix is.
class AssembledMatrix {
 public:
  virtual ~AssembledMatrix() = default;
  /// Symmetric Gauss-Seidel from zero: `sweeps` passes through the colours of the matrix, each forward and backward
  /// (Kokkos Kernels; Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, sections 4.1 and 12.4).
  /// Collective. Throws SolveError, on all ranks alike, where a diagonal entry is zero.
  [[nodiscard]] virtual std::unique_ptr<MatrixSolve> make_gauss_seidel(int sweeps) const = 0;
  /// Incomplete L U: fill-in of elimination is kept where its level is at most `fill` (Kokkos Kernels; Saad, as above,
  /// section 10.3). Collective. Throws SolveError, on all ranks alike, where a pivot is zero or not finite, and where
  /// Kokkos Kernels would need too much working memory.
  [[nodiscard]] virtual std::unique_ptr<MatrixSolve> make_incomplete_lu(int fill) const = 0;
};

}  // namespace halocline
