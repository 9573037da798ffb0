#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/operator/assembled_matrix.hpp"
#include "framework/operator/crs_assembly.hpp"
#include "framework/operator/field_vector.hpp"

namespace halocline {

/// The rows of one block's unknowns, numbered consecutively in the order of the allocation, without columns outside the
/// block: the input of Kokkos Kernels' preconditioners.
template <class Real>
struct CrsLocalRows {
  CrsRows<Real> rows;
  Kokkos::View<int*, Memory> places;  ///< positions of the unknowns in the block's allocation
  [[nodiscard]] int size() const { return static_cast<int>(places.extent(0)); }
};

/// \param unknowns of the block, in local indices
template <class Real>
[[nodiscard]] CrsLocalRows<Real> local_rows(Execution const& where, CrsRows<Real> const& rows,
                                            BlockLayout const& layout, IndexRange const& unknowns);

/// Solves block by block, each in its local numbering.
template <class Real>
class CrsBlockSolve : public MatrixSolve {
 public:
  using Values = Kokkos::View<Real*, Memory>;

  /// `blocks`: by Block::local.
  explicit CrsBlockSolve(std::vector<CrsLocalRows<Real>> blocks);
  void apply(Vector const& r, Vector& z) final;

 protected:
  /// x = M^-1 b on a block with unknowns.
  virtual void solve(Execution const& where, std::size_t block, Values const& b, Values const& x) = 0;
  [[nodiscard]] CrsLocalRows<Real> const& local(std::size_t block) const { return blocks_[block]; }

 private:
  std::vector<CrsLocalRows<Real>> blocks_;
  std::vector<std::pair<Values, Values>> work_;  ///< right-hand side and solution in local numbers
};

/// See AssembledMatrix. `like`: a vector of the matrix.
template <class Real>
[[nodiscard]] std::unique_ptr<MatrixSolve> make_crs_gauss_seidel(std::vector<CrsLocalRows<Real>> blocks,
                                                                 FieldVector<Real> const& like, int sweeps);
template <class Real>
[[nodiscard]] std::unique_ptr<MatrixSolve> make_crs_incomplete_lu(std::vector<CrsLocalRows<Real>> blocks,
                                                                  FieldVector<Real> const& like, int fill);

}  // namespace halocline
