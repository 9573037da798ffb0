#pragma once

#include <cmath>

#include "bench/measure.hpp"
#include "bench/reference_launch.hpp"
#include "framework/kernel/stencil.hpp"

// Kernels of the 7-point Laplacian as they are written by hand for one kind of GPU, step by step: a thread a point, a
// thread a tile of rows, its reads reordered, a bound on the threads of a block, stores that stream.

namespace halocline::benchmarking {

/// The Laplacian in the order in which a tile adds up its terms, each fused with its product.
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

/// What a reference kernel works on: two arrays of one layout. Points on the faces of the box are read and not
/// written.
struct Box {
  BlockView<double> f;
  BlockView<double const> u;
  int nx, ny, nz;
  FusedLaplacian weights;
};

/// The part of a box that a launch is for begins there.
struct Corner {
  int column = 0;
  int row = 0;
};

// How the blocks of a launch are dealt to x, y and z. Those that run at a time are neighbours in launch order.

struct GridXyz {
  static dim3 ordered(dim3 const& blocks) { return blocks; }
  __device__ __forceinline__ static uint3 block() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
};
/// Planes of as many columns as a block is wide come one after the other, instead of whole planes.
struct GridYzx {
  static dim3 ordered(dim3 const& blocks) { return {blocks.y, blocks.z, blocks.x}; }
  __device__ __forceinline__ static uint3 block() { return {blockIdx.z, blockIdx.x, blockIdx.y}; }
};
/// One of several launches, each for some rows of all planes; a profiler sees it by this name.
struct GridOfSubdomain : GridXyz {};
/// The same for some columns of all planes.
struct GridOfSubdomainAlongX : GridXyz {};

/// Whether none of the points of a thread, the first of which this is, is written.
[[nodiscard]] __device__ __forceinline__ bool is_idle(Box const& box, int i, int j, int k) {
  return i == 0 || i >= box.nx - 1 || j >= box.ny || k == 0 || k >= box.nz - 1;
}

/// The point at `u`, from seven reads.
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

/// Updates `Rows` neighbours along y, what they share read once. `Whole`: the rows of the box are a multiple of that;
/// otherwise the last tile reads no row that is not there.
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

/// A coordinate of the first point of a thread, whose block is the `block`-th along an axis.
[[nodiscard]] __device__ __forceinline__ int point_of_thread(unsigned thread, unsigned block, unsigned threads) {
  return static_cast<int>(thread + block * threads);
}

/// Steps 1 and 2: a thread for `Rows` points along y, each from seven reads, one point after the other. What the points
/// share the compiler may see or not.
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

/// Step 3: the reads of a tile reordered, plane by plane, what rows share read once.
template <int Rows, bool Whole>
__global__ void laplacian_reordered(Box const box) {
  update_tile<Rows, Whole, false>(box, point_of_thread(threadIdx.x, blockIdx.x, blockDim.x),
                                  Rows * point_of_thread(threadIdx.y, blockIdx.y, blockDim.y),
                                  point_of_thread(threadIdx.z, blockIdx.z, blockDim.z));
}

/// Step 4: the same; the compiler is told how many threads a block has, and so how many registers a thread may.
template <int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_bounded(Box const box) {
  update_tile<Rows, Whole, false>(box, point_of_thread(threadIdx.x, blockIdx.x, blockDim.x),
                                  Rows * point_of_thread(threadIdx.y, blockIdx.y, blockDim.y),
                                  point_of_thread(threadIdx.z, blockIdx.z, blockDim.z));
}

/// Step 5, and all that follows: the same with stores that stream, for any order of blocks and any part of a box.
template <class Grid, int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_tile(Box const box, Corner const corner) {
  uint3 const block = Grid::block();
  update_tile<Rows, Whole, true>(box, corner.column + point_of_thread(threadIdx.x, block.x, blockDim.x),
                                 corner.row + Rows * point_of_thread(threadIdx.y, block.y, blockDim.y),
                                 point_of_thread(threadIdx.z, block.z, blockDim.z));
}

}  // namespace halocline::benchmarking
