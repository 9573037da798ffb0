#pragma once

#include <cmath>

#include "bench/measure.hpp"
#include "bench/reference_launch.hpp"
#include "framework/kernel/stencil.hpp"

// Hand-written kernels of the 7-point Laplacian for one kind of GPU, optimised step by step: one thread per point, one
// thread per tile of rows, reordered reads, a bound on the threads of a block, streaming stores.

namespace halocline::benchmarking {

/// The Laplacian in the order in which a tile adds its terms, each by a fused multiply-add.
struct FusedLaplacian {
  static constexpr Shape shape = star<1>;
  static constexpr int operations = 13;
  double centre, x, y, z;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    double sum = z * u[bottom];
    sum = fma(y, u[south], sum);
    sum = fma(x, u[west], sum);
    sum = fma(centre, u[here], sum);
    sum = fma(x, u[east], sum);
    sum = fma(y, u[north], sum);
    return fma(z, u[top], sum);
  }
};

/// The data of a reference kernel: two arrays with the same layout. Points on the faces of the box are read but not
/// written.
struct Box {
  BlockView<double> f;
  BlockView<double const> u;
  int nx, ny, nz;
  FusedLaplacian weights;
};

/// Offset of the part of a box that a launch processes.
struct Corner {
  int column = 0;
  int row = 0;
};

// The assignment of a launch's blocks to x, y and z. Blocks that run concurrently are adjacent in launch order.

struct GridXyz {
  static dim3 ordered(dim3 const& blocks) { return blocks; }
  __device__ __forceinline__ static uint3 block() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
};
/// Sub-planes one block wide are processed one after the other, instead of whole planes.
struct GridYzx {
  static dim3 ordered(dim3 const& blocks) { return {blocks.y, blocks.z, blocks.x}; }
  __device__ __forceinline__ static uint3 block() { return {blockIdx.z, blockIdx.x, blockIdx.y}; }
};
/// One of several launches, each for some rows of all planes; profilers show this name.
struct GridOfSubdomain : GridXyz {};
/// The same for some columns of all planes.
struct GridOfSubdomainAlongX : GridXyz {};

/// Whether a thread, whose first point is given, writes no point.
[[nodiscard]] __device__ __forceinline__ bool is_idle(Box const& box, int i, int j, int k) {
  return i == 0 || i >= box.nx - 1 || j >= box.ny || k == 0 || k >= box.nz - 1;
}

/// The Laplacian at `u`, from seven reads.
[[nodiscard]] __device__ __forceinline__ double evaluate_point(Box const& box, double const* u) {
  FusedLaplacian const& weight = box.weights;
  double sum = weight.z * u[-box.u.plane];
  sum = fma(weight.y, u[-box.u.row], sum);
  sum = fma(weight.x, u[-1], sum);
  sum = fma(weight.centre, u[0], sum);
  sum = fma(weight.x, u[1], sum);
  sum = fma(weight.y, u[box.u.row], sum);
  return fma(weight.z, u[box.u.plane], sum);
}

template <bool Streaming>
__device__ __forceinline__ void store(double* to, double value) {
  if constexpr (Streaming) {
    store_streaming(to, value);
  } else {
    *to = value;
  }
}

/// Updates `Rows` neighbours along y; shared values are read once. `Whole`: the rows of the box are a multiple of
/// `Rows`; otherwise the last tile does not read rows beyond the box.
template <int Rows, bool Whole, bool Streaming>
__device__ __forceinline__ void update_tile(Box const& box, int i, int j, int k) {
  if (is_idle(box, i, j, k)) return;
  int const rows = Whole ? Rows : min(Rows, box.ny - j);
  Index const row = box.u.row;
  Index const plane = box.u.plane;
  double const* const u = box.u.at(i, j, k);
  FusedLaplacian const weight = box.weights;

  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = weight.z * u[n * row - plane];
  }
  if (j > 0) sum[0] = fma(weight.y, u[-row], sum[0]);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) {
      double const centre = u[n * row];
      sum[n] = fma(weight.x, u[n * row - 1], sum[n]);
      sum[n] = fma(weight.centre, centre, sum[n]);
      sum[n] = fma(weight.x, u[n * row + 1], sum[n]);
      if (n > 0) sum[n - 1] = fma(weight.y, centre, sum[n - 1]);
      if (n + 1 < Rows) sum[n + 1] = fma(weight.y, centre, sum[n + 1]);
    }
  }
  if (j + Rows < box.ny) sum[Rows - 1] = fma(weight.y, u[Rows * row], sum[Rows - 1]);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = fma(weight.z, u[n * row + plane], sum[n]);
  }
  double* const f = box.f.at(i, j, k);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (j + n > 0 && j + n < box.ny - 1) store<Streaming>(f + n * row, sum[n]);
  }
}

/// A coordinate of a thread's first point; its block is the `block`-th along the axis.
[[nodiscard]] __device__ __forceinline__ int point_of_thread(unsigned thread, unsigned block, unsigned threads) {
  return static_cast<int>(thread + block * threads);
}

/// Steps 1 and 2: one thread for `Rows` points along y, each from seven reads, one point after the other. It is left to
/// the compiler to reuse shared values.
template <int Rows>
__global__ void laplacian_of_rows(Box const box) {
  int const i = point_of_thread(threadIdx.x, blockIdx.x, blockDim.x);
  int const j = Rows * point_of_thread(threadIdx.y, blockIdx.y, blockDim.y);
  int const k = point_of_thread(threadIdx.z, blockIdx.z, blockDim.z);
  if (is_idle(box, i, j, k)) return;
  double const* const u = box.u.at(i, j, k);
  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (j + n > 0 && j + n < box.ny - 1) sum[n] = evaluate_point(box, u + n * box.u.row);
  }
  double* const f = box.f.at(i, j, k);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (j + n > 0 && j + n < box.ny - 1) f[n * box.u.row] = sum[n];
  }
}

/// Step 3: the reads of a tile reordered by plane; values shared by rows are read once.
template <int Rows, bool Whole>
__global__ void laplacian_reordered(Box const box) {
  update_tile<Rows, Whole, false>(box, point_of_thread(threadIdx.x, blockIdx.x, blockDim.x),
                                  Rows * point_of_thread(threadIdx.y, blockIdx.y, blockDim.y),
                                  point_of_thread(threadIdx.z, blockIdx.z, blockDim.z));
}

/// Step 4: the same with the number of threads per block, and thus the register limit, known to the compiler.
template <int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_bounded(Box const box) {
  update_tile<Rows, Whole, false>(box, point_of_thread(threadIdx.x, blockIdx.x, blockDim.x),
                                  Rows * point_of_thread(threadIdx.y, blockIdx.y, blockDim.y),
                                  point_of_thread(threadIdx.z, blockIdx.z, blockDim.z));
}

/// Step 5 and later: the same with streaming stores, for any order of blocks and any part of a box.
template <class Grid, int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_tile(Box const box, Corner const corner) {
  uint3 const block = Grid::block();
  update_tile<Rows, Whole, true>(box, corner.column + point_of_thread(threadIdx.x, block.x, blockDim.x),
                                 corner.row + Rows * point_of_thread(threadIdx.y, block.y, blockDim.y),
                                 point_of_thread(threadIdx.z, block.z, blockDim.z));
}

}  // namespace halocline::benchmarking
