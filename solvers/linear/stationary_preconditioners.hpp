#pragma once

#include <memory>

#include "framework/operator/assembled_matrix.hpp"
#include "framework/operator/relaxation.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// The inverse of the operator's diagonal, entry by entry. Collective. Throws UnsuitableOperator if the operator does
/// not know its diagonal, or an entry of it is zero.
[[nodiscard]] std::unique_ptr<Vector> inverse_diagonal(Operator const& a);

/// M = D, the diagonal, or the blocks of points with several unknowns.
class JacobiPreconditioner final : public Preconditioner {
 public:
  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;
  [[nodiscard]] double apply_dot(Vector const& r, Vector& z) override;
  [[nodiscard]] Vector const* scaling() const override { return inverse_diagonal_.get(); }

 private:
  PointBlocks const* blocks_ = nullptr;       ///< null if D is the diagonal
  std::unique_ptr<Vector> inverse_diagonal_;  ///< null if it is not
};

/// Symmetric Gauss-Seidel from zero: passes through the colours of the operator, each forward and backward (Saad,
/// Iterative Methods for Sparse Linear Systems, 2nd edition, sections 4.1 and 12.4). For a matrix, the colours follow
/// from its entries, and couplings between blocks are left out.
class GaussSeidelPreconditioner final : public Preconditioner {
 public:
  explicit GaussSeidelPreconditioner(int sweeps) : sweeps_(sweeps) {}
  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;

 private:
  int sweeps_;
  std::unique_ptr<MatrixSolve> of_matrix_;  ///< null if the operator is not a matrix
  Relaxation const* relaxation_ = nullptr;
};

/// Incomplete LU factors of each block of the operator's matrix. A matrix-free operator is assembled only for this.
class IncompleteLuPreconditioner final : public Preconditioner {
 public:
  /// \param fill the highest level of fill-in that is kept; 0: only the entries of the matrix
  explicit IncompleteLuPreconditioner(int fill) : fill_(fill) {}
  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override { factors_->apply(r, z); }

 private:
  int fill_;
  std::unique_ptr<MatrixSolve> factors_;
};

}  // namespace halocline
