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

/// What a reference kernel works on. Points on the faces of the box are read and not written.
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

/// The first point of a thread that evaluates `Rows` neighbours along y.
template <class Grid, int Rows>
[[nodiscard]] __device__ __forceinline__ int3 place_of_thread(Corner const& corner) {
  uint3 const block = Grid::block();
  return {corner.column + static_cast<int>(threadIdx.x + block.x * blockDim.x),
          corner.row + Rows * static_cast<int>(threadIdx.y + block.y * blockDim.y),
          static_cast<int>(threadIdx.z + block.z * blockDim.z)};
}

/// Whether none of a thread's points is written.
[[nodiscard]] __device__ __forceinline__ bool is_idle(Box const& box, int3 const& at) {
  return at.x == 0 || at.x >= box.nx - 1 || at.y >= box.ny || at.z == 0 || at.z >= box.nz - 1;
}
[[nodiscard]] __device__ __forceinline__ bool is_row_inside(Box const& box, int j) { return j > 0 && j < box.ny - 1; }

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

/// `Rows` neighbours along y, what they share read once. `Whole`: the rows of the box are a multiple of that;
/// otherwise the last tile reads no row that is not there.
template <int Rows, bool Whole>
__device__ __forceinline__ void evaluate_tile(Box const& box, int3 const& at, double (&sum)[Rows]) {
  int const rows = Whole ? Rows : min(Rows, box.ny - at.y);
  Index const row = box.u.row;
  Index const plane = box.u.plane;
  double const* const u = box.u.at(at.x, at.y, at.z);
  FusedLaplacian const weight = box.weights;
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = weight.z * u[n * row - plane];
  }
  if (at.y > 0) sum[0] = fma(weight.y, u[-row], sum[0]);
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
  if (at.y + Rows < box.ny) sum[Rows - 1] = fma(weight.y, u[Rows * row], sum[Rows - 1]);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = fma(weight.z, u[n * row + plane], sum[n]);
  }
}

/// Writes those rows of a tile that are inside of the box.
template <bool Streaming, int Rows>
__device__ __forceinline__ void store_tile(Box const& box, int3 const& at, double const (&sum)[Rows]) {
  double* const f = box.f.at(at.x, at.y, at.z);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (!is_row_inside(box, at.y + n)) continue;
    if constexpr (Streaming) {
      store_streaming(f + n * box.f.row, sum[n]);
    } else {
      f[n * box.f.row] = sum[n];
    }
  }
}

/// Steps 1 and 2: a thread for `Rows` points along y, one after the other; what rows share the compiler may see or not.
template <int Rows>
__global__ void laplacian_of_rows(Box const box) {
  int3 const at = place_of_thread<GridXyz, Rows>({});
  if (is_idle(box, at)) return;
  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (is_row_inside(box, at.y + n)) sum[n] = evaluate_point(box, box.u.at(at.x, at.y + n, at.z));
  }
  store_tile<false>(box, at, sum);
}

/// Step 3: the reads of the tile reordered, plane by plane, what rows share read once.
template <int Rows, bool Whole>
__global__ void laplacian_reordered(Box const box) {
  int3 const at = place_of_thread<GridXyz, Rows>({});
  if (is_idle(box, at)) return;
  double sum[Rows] = {};
  evaluate_tile<Rows, Whole>(box, at, sum);
  store_tile<false>(box, at, sum);
}

/// Step 4: the same; the compiler is told how many threads a block has, and so how many registers a thread may.
template <int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_bounded(Box const box) {
  int3 const at = place_of_thread<GridXyz, Rows>({});
  if (is_idle(box, at)) return;
  double sum[Rows] = {};
  evaluate_tile<Rows, Whole>(box, at, sum);
  store_tile<false>(box, at, sum);
}

/// Step 5, and all that follows: the same with stores that stream, for any order of blocks and any part of a box.
template <class Grid, int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_tile(Box const box, Corner const corner) {
  int3 const at = place_of_thread<Grid, Rows>(corner);
  if (is_idle(box, at)) return;
  double sum[Rows] = {};
  evaluate_tile<Rows, Whole>(box, at, sum);
  store_tile<true>(box, at, sum);
}

}  // namespace halocline::benchmarking
