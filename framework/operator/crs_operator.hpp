#pragma once

#include <memory>
#include <vector>

#include "framework/operator/assembled_matrix.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

class CgSteps;
class Exchange;

/// A linear operator on the unknowns of a field as an assembled matrix in compressed rows. The product uses kernels of
/// the framework on hosts and CUDA devices, and Kokkos Kernels on other devices.
///
/// Rows and columns are numbered by position in a block's allocation, so that vectors are the same as those of the
/// matrix-free operator: rows of ghosts, padding and eliminated entries are empty, columns may be ghosts, and the
/// exchange of fields fills these. A product reads 12 bytes per entry in double precision (8 in single) and 4 per row.
template <class Real>
class CrsOperator final : public Operator, public AssembledMatrix {
 public:
  /// Assembles `a`, which acts on fields of a structured mesh and whose rows reach `radius` entries along each axis, by
  /// applying it to coloured unit vectors. `a` is not used afterwards. Collective.
  CrsOperator(Operator const& a, int radius);
  ~CrsOperator() override;

  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return diagonal_->create(); }
  void apply(Vector const& x, Vector& y) const override;
  [[nodiscard]] bool diagonal(Vector& d) const override;
  [[nodiscard]] double norm_bound() const override { return norm_; }
  [[nodiscard]] CgSteps const* cg() const override;
  [[nodiscard]] AssembledMatrix const* matrix() const override { return this; }
  [[nodiscard]] std::unique_ptr<MatrixSolve> make_gauss_seidel(int sweeps) const override;
  [[nodiscard]] std::unique_ptr<MatrixSolve> make_incomplete_lu(int fill) const override;
  /// Non-zero entries over all ranks.
  [[nodiscard]] Index nonzeros() const { return nonzeros_; }

 private:
  struct Matrix;
  class Steps;
  void multiply(Vector const& x, Vector& y, bool with_dot) const;
  /// The rows of each block's unknowns. Throws SolveError where a diagonal entry is zero.
  [[nodiscard]] auto local_blocks() const;
  std::vector<std::unique_ptr<Matrix>> matrices_;  ///< by Block::local
  std::unique_ptr<Vector> diagonal_;
  std::unique_ptr<CgSteps> steps_;
  std::unique_ptr<Exchange> exchange_;
  double norm_ = 0;
  Index nonzeros_ = 0;
};

extern template class CrsOperator<float>;
extern template class CrsOperator<double>;

}  // namespace halocline
