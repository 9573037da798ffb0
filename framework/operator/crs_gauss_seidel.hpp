#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/crs_local_rows.hpp"

// Gauss-Seidel of Kokkos Kernels, of which every algorithm that they choose from at run time is compiled: one source
// for each precision, and another one for what precedes the sweeps, take a quarter of the time each.

namespace halocline {

template <class Real>
using GaussSeidelHandle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Real, Execution, Memory, Memory>;

/// Colours the rows of a matrix and inverts its diagonal, which the handle keeps for sweeps.
template <class Real>
void prepare_gauss_seidel(Execution const& where, GaussSeidelHandle<Real>& handle, CrsLocalRows<Real> const& local);
extern template void prepare_gauss_seidel(Execution const&, GaussSeidelHandle<float>&, CrsLocalRows<float> const&);
extern template void prepare_gauss_seidel(Execution const&, GaussSeidelHandle<double>&, CrsLocalRows<double> const&);

template <class Real>
class CrsGaussSeidel final : public CrsBlockSolve<Real> {
 public:
  using typename CrsBlockSolve<Real>::Values;

  CrsGaussSeidel(std::vector<CrsLocalRows<Real>> blocks, FieldVector<Real> const& like, int sweeps)
      : CrsBlockSolve<Real>(std::move(blocks)), sweeps_(sweeps) {
    for (Block const& block : like.field().mesh().blocks()) {
      CrsLocalRows<Real> const& local = this->local(block.local);
      auto& handle = handles_.emplace_back(std::make_unique<GaussSeidelHandle<Real>>());
      if (local.size() == 0) continue;
      prepare_gauss_seidel(execution(block), *handle, local);
    }
  }

 private:
  void solve(Execution const& where, std::size_t block, Values const& b, Values const& x) override {
    CrsLocalRows<Real> const& local = this->local(block);
    auto const& [offsets, columns, values] = local.rows;
    KokkosSparse::Experimental::symmetric_gauss_seidel_apply(where, handles_[block].get(), local.size(), local.size(),
                                                             offsets, columns, values, x, b, true, true, Real{1},
                                                             sweeps_);
  }

  int sweeps_;
  std::vector<std::unique_ptr<GaussSeidelHandle<Real>>> handles_;
};

template <class Real>
std::unique_ptr<MatrixSolve> make_crs_gauss_seidel(std::vector<CrsLocalRows<Real>> blocks,
                                                   FieldVector<Real> const& like, int sweeps) {
  return std::make_unique<CrsGaussSeidel<Real>>(std::move(blocks), like, sweeps);
}

}  // namespace halocline
