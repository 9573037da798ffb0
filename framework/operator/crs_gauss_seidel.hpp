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

// Gauss-Seidel of Kokkos Kernels: one source for each precision.

namespace halocline {

/// Symmetric Gauss-Seidel by colours on the rows of one block.
///
/// The public functions of Kokkos Kernels choose between three algorithms at run time, so they compile all of them,
/// which takes four times as long. The class behind the one that is used here is the same from 4.5 to 4.7.
template <class Real>
class ColouredGaussSeidel {
 public:
  using Values = Kokkos::View<Real*, Memory>;

  /// Colours the rows and inverts the diagonal.
  ColouredGaussSeidel(Execution const& where, CrsLocalRows<Real> const& local) : local_(local) {
    // A colouring by several threads depends on their timing, and so would the bits of results. The deterministic
    // colouring of Kokkos Kernels omits a row of the smallest matrices. So the colouring is serial.
    handle_.create_gs_handle(where, 1, KokkosSparse::GS_DEFAULT, KokkosGraph::COLORING_SERIAL);
    Sweeps sweeps = on(where);
    sweeps.initialize_symbolic();
    sweeps.initialize_numeric();
  }

  /// x = M^-1 b by `sweeps` sweeps there and back, from zero.
  void solve(Execution const& where, Values const& b, Values const& x, int sweeps) {
    on(where).apply(Columns<Real>(x.data(), x.extent(0), 1), Columns<Real const>(b.data(), b.extent(0), 1), true,
                    sweeps, Real{1}, true, true, true);
  }

 private:
  template <class Value>
  using Array = Kokkos::View<Value*, Kokkos::LayoutLeft, Kokkos::Device<Execution, Memory>, Kokkos::MemoryUnmanaged>;
  template <class Value>
  using Columns = Kokkos::View<Value**, Kokkos::LayoutLeft, Kokkos::Device<Execution, Memory>, Kokkos::MemoryUnmanaged>;
  using Handle =
      KokkosKernels::Experimental::KokkosKernelsHandle<int const, int const, Real const, Execution, Memory, Memory>;
  using Sweeps = KokkosSparse::Impl::PointGaussSeidel<Handle, Array<int const>, Array<int const>, Array<Real const>,
                                                      KokkosSparse::SparseMatrixFormat::CRS>;

  [[nodiscard]] Sweeps on(Execution const& where) {
    handle_.get_gs_handle()->set_execution_space(where);
    auto const& [offsets, columns, values] = local_.rows;
    bool const has_symmetric_graph = false;
    return {&handle_, local_.size(), local_.size(), offsets, columns, values, has_symmetric_graph};
  }

  CrsLocalRows<Real> const& local_;
  Handle handle_;
};

template <class Real>
class CrsGaussSeidel final : public CrsBlockSolve<Real> {
 public:
  using typename CrsBlockSolve<Real>::Values;

  CrsGaussSeidel(std::vector<CrsLocalRows<Real>> blocks, FieldVector<Real> const& like, int sweeps)
      : CrsBlockSolve<Real>(std::move(blocks)), sweeps_(sweeps) {
    for (Block const& block : like.field().mesh().blocks()) {
      CrsLocalRows<Real> const& local = this->local(block.local);
      auto& relaxation = relaxations_.emplace_back();
      if (local.size() == 0) continue;
      relaxation = std::make_unique<ColouredGaussSeidel<Real>>(execution(block), local);
    }
  }

 private:
  void solve(Execution const& where, std::size_t block, Values const& b, Values const& x) override {
    relaxations_[block]->solve(where, b, x, sweeps_);
  }

  int sweeps_;
  std::vector<std::unique_ptr<ColouredGaussSeidel<Real>>> relaxations_;  ///< by Block::local; null without unknowns
};

template <class Real>
std::unique_ptr<MatrixSolve> make_crs_gauss_seidel(std::vector<CrsLocalRows<Real>> blocks,
                                                   FieldVector<Real> const& like, int sweeps) {
  return std::make_unique<CrsGaussSeidel<Real>>(std::move(blocks), like, sweeps);
}

}  // namespace halocline
