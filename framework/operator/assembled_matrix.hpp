#pragma once

#include <memory>

#include "framework/operator/vector.hpp"

namespace halocline {

/// z = M^-1 r with an M that a matrix was made into.
class MatrixSolve {
 public:
  virtual ~MatrixSolve() = default;
  virtual void apply(Vector const& r, Vector& z) = 0;
};

/// What an operator whose entries are stored can make of them, as a capability of it. Each M is made of the rows of one
/// block at a time, without what couples them to other blocks or across a periodic seam (block Jacobi): so it is
/// another one for other numbers of ranks, and symmetric positive definite where the matrix is.
class AssembledMatrix {
 public:
  virtual ~AssembledMatrix() = default;
  /// Symmetric Gauss-Seidel from zero: sweeps through the colours of the matrix, each there and back (Kokkos Kernels;
  /// Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, sections 4.1 and 12.4). Collective. Throws
  /// SolveError, on all ranks alike, where an entry of the diagonal is zero.
  [[nodiscard]] virtual std::unique_ptr<MatrixSolve> make_gauss_seidel(int sweeps) const = 0;
  /// L U, incomplete: entries that elimination would add are kept where their level is at most `fill` (Kokkos Kernels;
  /// Saad, as above, section 10.3). Collective. Throws SolveError, on all ranks alike, where a pivot is zero or no
  /// number, and where Kokkos Kernels would need too much memory on the way.
  [[nodiscard]] virtual std::unique_ptr<MatrixSolve> make_incomplete_lu(int fill) const = 0;
};

}  // namespace halocline
