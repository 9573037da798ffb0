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
// for each precision takes half of the time.

namespace halocline {

template <class Real>
using GaussSeidelHandle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Real, Execution, Memory, Memory>;

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
      // A colouring by several threads depends on their timing, and so would the bits of results. The deterministic
      // colouring of Kokkos Kernels omits a row of the smallest matrices. So the colouring is serial.
      handle->create_gs_handle(execution(block), 1, KokkosSparse::GS_DEFAULT, KokkosGraph::COLORING_SERIAL);
      auto const& [offsets, columns, values] = local.rows;
      Execution const& where = execution(block);
      KokkosSparse::Experimental::gauss_seidel_symbolic(where, handle.get(), local.size(), local.size(), offsets,
                                                        columns, false);
      KokkosSparse::Experimental::gauss_seidel_numeric(where, handle.get(), local.size(), local.size(), offsets,
                                                       columns, values, false);
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
