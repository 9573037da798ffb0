#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cub/block/block_reduce.cuh>

#include "framework/field/field_base.hpp"
#include "framework/kernel/reduce.hpp"
#include "framework/operator/crs_assembly.hpp"
#include "framework/operator/device_array.hpp"
#include "framework/runtime/cuda_check.hpp"

namespace halocline {

namespace crs_cuda {

constexpr int threads = 256;
/// Entries that a thread loads before it needs the first, so that a block holds of_a_thread * threads in shared memory.
constexpr int of_a_thread = 8;
constexpr int room = of_a_thread * threads;

/// y = A x on the rows of a block, one thread per row. Threads load entries in order, so that neighbouring threads read
/// neighbouring entries whatever the lengths of the rows. The products go to shared memory; each thread adds up those
/// of its row in the order of the columns. If `sums` is given, stores each thread block's part of x . y. Rows without
/// entries contribute nothing, because ghosts of x are undefined.
template <class Real>
__global__ void __launch_bounds__(threads) multiply(CrsRows<Real> const matrix, Real const* x, Real* y, double* sums) {
  using BlockReduce = cub::BlockReduce<double, threads>;
  __shared__ union {
    Real products[room];
    typename BlockReduce::TempStorage reduce;
  } shared;
  int const thread = static_cast<int>(threadIdx.x);
  int const rows = static_cast<int>(matrix.offsets.extent(0)) - 1;
  int const first_row = static_cast<int>(blockIdx.x) * threads;
  int const row = first_row + thread;
  int const* const offsets = matrix.offsets.data();
  int const* const columns = matrix.columns.data();
  Real const* const values = matrix.values.data();
  int const begin = offsets[min(row, rows)];
  int const end = offsets[min(row + 1, rows)];
  int const first = offsets[first_row];
  int const last = offsets[min(first_row + threads, rows)];
  Real sum = 0;
  for (int chunk = first; chunk < last; chunk += room) {
    int const count = min(room, last - chunk);
    int column[of_a_thread];
    Real value[of_a_thread];
#pragma unroll
    for (int n = 0; n < of_a_thread; ++n) {
      int const at = thread + n * threads;
      column[n] = at < count ? __ldcs(columns + chunk + at) : 0;
      value[n] = at < count ? __ldcs(values + chunk + at) : Real{0};
    }
#pragma unroll
    for (int n = 0; n < of_a_thread; ++n) {
      int const at = thread + n * threads;
      if (at < count) shared.products[at] = value[n] * x[column[n]];
    }
    __syncthreads();
    int const mine_end = min(end - chunk, count);
    for (int n = max(begin - chunk, 0); n < mine_end; ++n) sum += shared.products[n];
    __syncthreads();
  }
  if (row < rows) y[row] = sum;
  if (sums == nullptr) return;
  double const term = begin < end ? static_cast<double>(x[row]) * static_cast<double>(sum) : 0;
  double const total = BlockReduce(shared.reduce).Sum(term);
  if (thread == 0) sums[blockIdx.x] = total;
}

}  // namespace crs_cuda

/// The product of a block's rows with a vector on an NVIDIA GPU, in one pass with an optional dot product.
template <class Real>
class CrsCudaProduct {
 public:
  static constexpr bool has_dot = true;

  CrsCudaProduct(CrsRows<Real> const& rows, BlockLayout const& /*layout*/, IndexRange const& /*unknowns*/)
      : rows_(rows), sums_(device_array<double>("sums of rows", blocks())) {}

  /// Enqueues y = A x and, if `with_dot`, x . y. x and y are arrays in the order of the block's allocation.
  void multiply(Kokkos::Cuda const& where, Real const* x, Real* y, bool with_dot) {
    crs_cuda::multiply<<<static_cast<unsigned>(blocks()), crs_cuda::threads, 0, where.cuda_stream()>>>(
        rows_, x, y, with_dot ? sums_.data() : nullptr);
    cuda::check(cudaGetLastError(), "a product with a matrix");
    if (!with_dot) return;
    reduce::of_values<reduce::Sum>(where, dot_, reduce::Values<double>{sums_.data(), static_cast<Index>(blocks())});
  }
  /// Waits for x . y.
  [[nodiscard]] double dot() const { return dot_.value(); }

 private:
  [[nodiscard]] std::size_t blocks() const {
    return (rows_.offsets.extent(0) - 1 + crs_cuda::threads - 1) / crs_cuda::threads;
  }

  CrsRows<Real> rows_;
  Kokkos::View<double*, Memory> sums_;  ///< one per thread block
  reduce::Outcome<Kokkos::Cuda> dot_;
};

}  // namespace halocline
