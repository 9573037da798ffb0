#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "framework/kernel/cg_recurrence.hpp"
#include "framework/kernel/cuda/device.hpp"
#include "framework/kernel/cuda/reduction_tile_sums.hpp"
#include "framework/kernel/reduction_tiles.hpp"
#include "framework/kernel/views.hpp"

// Conjugate gradients of small systems on NVIDIA GPUs: many steps in one persistent kernel. A thread block owns one
// reduction tile of unknowns: x, r and A p stay in registers, and p with a halo stays in shared memory. A step has two
// grid-wide barriers, each of which also computes a sum: a block publishes its part with the barrier's number as a
// flag, and polls the parts of all others for this flag. The second barrier also publishes the new r, from which each
// block computes p in its halo.

namespace halocline::kernel::cuda {

/// Publishes `number` in two words, each half beside the barrier's number as a flag, since 8 bytes arrive as one.
__device__ __forceinline__ void publish(unsigned long long* at, unsigned flag, double number) {
  auto const bits = static_cast<unsigned long long>(__double_as_longlong(number));
  unsigned long long const mark = static_cast<unsigned long long>(flag) << 32U;
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(mark | (bits & 0xffffffffULL)),
               "l"(mark | (bits >> 32U))
               : "memory");
}

/// Polls for the number that is published there with this flag.
[[nodiscard]] __device__ __forceinline__ double wait_for(unsigned long long const* at, unsigned flag) {
  unsigned long long low = 0;
  unsigned long long high = 0;
  do {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(at) : "memory");
  } while ((low >> 32U) != flag || (high >> 32U) != flag);
  return __longlong_as_double(static_cast<long long>((high << 32U) | (low & 0xffffffffULL)));
}

/// Orders memory accesses before and after it for the whole device. Cheaper than __threadfence(), which is also
/// sequentially consistent with all other fences.
__device__ __forceinline__ void acquire_and_release() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/// A grid-wide barrier that also computes a sum.
struct GridBarrier {
  static constexpr int most_blocks = group * group;
  unsigned long long* published = nullptr;  ///< two words of each block, for even and for odd flags
  unsigned first = 0;                       ///< flag of the first barrier

  /// Adds up `mine` of all threads of all blocks, in the order of a sweep's sums. With `Publishes`, writes to global
  /// memory before the barrier are visible to all threads after it.
  template <bool Publishes>
  [[nodiscard]] __device__ __forceinline__ double sum(unsigned& number, PlainSum const& mine) const {
    static_assert(group == 32, "a warp merges a group");
    constexpr int warps = ReductionTiles::columns / 32;
    __shared__ PlainSum of_warps[warps];
    __shared__ PlainSum of_groups[group];
    int const thread = static_cast<int>(threadIdx.x);
    int const lane = thread % 32;
    int const warp = thread / 32;
    int const blocks = static_cast<int>(gridDim.x);
    int const groups = (blocks + group - 1) / group;
    unsigned const flag = first + number++;
    unsigned long long* const words = published + 2 * most_blocks * (flag % 2);
    PlainSum const of_warp = merge_neighbouring_lanes<32>(mine);
    if (lane == 0) of_warps[warp] = of_warp;
    __syncthreads();
    if (thread == 0) {
      if constexpr (Publishes) acquire_and_release();
      publish(words + 2 * blockIdx.x, flag, merge_neighbours<warps>(of_warps).sum);
    }
    for (int n = warp; n < groups; n += warps) {
      PlainSum other;
      if (n * group + lane < blocks) other.sum = wait_for(words + 2 * (n * group + lane), flag);
      PlainSum const of_group = merge_neighbouring_lanes<32>(other);
      if (lane == 0) of_groups[n] = of_group;
    }
    if constexpr (Publishes) acquire_and_release();
    __syncthreads();
    PlainSum all;
    if (lane < groups) all = of_groups[lane];
    all = merge_neighbouring_lanes<32>(all);
    return __shfl_sync(0xffffffffU, all.sum, 0);
  }
};

/// Arguments of a launch. Ranges and views as a sweep's; `coefficients`: inputs of the functor after the vector.
template <class Real, class Functor, class GeometryReal, class CoefficientViews>
struct CgProblem {
  static constexpr int reach_x = Functor::shape.reach(0);
  static constexpr int reach_y = Functor::shape.reach(1);
  static constexpr int reach_z = Functor::shape.reach(2);
  static constexpr bool star = Functor::shape.kind == ShapeKind::star;
  using VectorShape = InputShape<Functor, 0>;
  /// Unknowns per thread: the steps of a reduction tile.
  static constexpr int depth = 8;

  Functor functor;
  Geometry<GeometryReal> geometry;
  CoefficientViews coefficients;
  BlockView<Real> x;
  BlockView<Real> p;
  BlockView<Real> r;  ///< of the same layout as p
  Index begin[3] = {};
  Index end[3] = {};
  Index period[3] = {};  ///< extent of periodic axes; elsewhere 0
  ReductionTiles reduction_tiles;
  int extent[3] = {};  ///< of a reduction tile with its halo
  GridBarrier barrier{};
  CgRecurrence recurrence{};
  double enough = 0;    ///< steps end at a norm of r of this or below …
  double too_much = 0;  ///< … or above this
  int steps = 0;
  double* measured = nullptr;  ///< p . A p and r . r of each step, in host memory
  int* taken = nullptr;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int entries_of_thread() const {
    return (extent[0] * extent[1] * extent[2] + ReductionTiles::columns - 1) / ReductionTiles::columns;
  }
  [[nodiscard]] std::size_t shared_bytes() const {
    return static_cast<std::size_t>(entries_of_thread()) * ReductionTiles::columns * (sizeof(Real) + sizeof(int2));
  }
};

/// What the functor returns at (i, j, k), where `u` reads the vector.
template <class Functor, class APoint, class Vector, std::size_t... N, class... Real>
[[nodiscard]] __device__ __forceinline__ auto evaluate_with(
    Functor const& functor, APoint const& point, Vector const& u,
    [[maybe_unused]] InputsAt<std::index_sequence<N...>, Real...> const& in, Index i, Index j, Index k) {
  return functor(point, u,
                 Reader<Real, InputShape<Functor, static_cast<int>(N) + 1>>{
                     input_at<N>(in).at(i, j, k), input_at<N>(in).row, input_at<N>(in).plane}...);
}

template <class Real>
[[nodiscard]] __device__ __forceinline__ Real load_published(Real const* from) {
  Real value;
  if constexpr (sizeof(Real) == 8) {
    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(value) : "l"(from) : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
  }
  return value;
}

template <class Problem, class Real>
__global__ void __launch_bounds__(ReductionTiles::columns, 2) resident_cg(__grid_constant__ Problem const problem) {
  constexpr int depth = Problem::depth;
  using Vector = Reader<Real, typename Problem::VectorShape>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  ReductionTiles const& reduction_tiles = problem.reduction_tiles;
  int const thread = static_cast<int>(threadIdx.x);
  int const axis = reduction_tiles.dimensions - 1;
  int const row = problem.extent[0];
  int const plane = problem.extent[0] * problem.extent[1];
  int const room = problem.entries_of_thread();
  auto* const tile = reinterpret_cast<Real*>(shared_memory);
  // For each entry of the halo: its position in the tile and its offset in memory from the views' origins.
  auto* const halo = reinterpret_cast<int2*>(tile + room * ReductionTiles::columns);

  Index const reduction_tile = blockIdx.x;
  ReductionTiles::Column const first = reduction_tiles.column(reduction_tile, 0);
  ReductionTiles::Column const mine = reduction_tiles.column(reduction_tile, thread);
  int const reach[3] = {Problem::reach_x, Problem::reach_y, Problem::reach_z};
  int halo_entries = 0;
  for (int n = 0; n < room; ++n) {
    int const entry = n * ReductionTiles::columns + thread;
    int const in_tile[3] = {entry % row, entry / row % problem.extent[1], entry / plane};
    bool is_mine = true;
    bool is_read = in_tile[2] < problem.extent[2];
    int outside = 0;
    Index at[3];
    for (int a = 0; a < 3; ++a) {
      at[a] = first.at[a] + in_tile[a] - reach[a];
      bool const beside = in_tile[a] < reach[a] || in_tile[a] >= problem.extent[a] - reach[a];
      outside += beside ? 1 : 0;
      is_mine = is_mine && !beside && at[a] >= problem.begin[a] && at[a] < problem.end[a];
      is_read = is_read && at[a] >= problem.begin[a] - reach[a] && at[a] < problem.end[a] + reach[a];
      while (problem.period[a] > 0 && at[a] < problem.begin[a]) at[a] += problem.period[a];
      while (problem.period[a] > 0 && at[a] >= problem.end[a]) at[a] -= problem.period[a];
    }
    is_read = is_read && (!Problem::star || outside < 2);
    Index const offset = at[0] + at[1] * problem.p.row + at[2] * problem.p.plane;
    tile[entry] = is_read ? problem.p.origin[offset] : Real{0};
    if (is_read && !is_mine) {
      halo[halo_entries * ReductionTiles::columns + thread] = {entry, static_cast<int>(offset)};
      ++halo_entries;
    }
  }

  int const own = static_cast<int>(mine.at[0] - first.at[0]) + Problem::reach_x +
                  (static_cast<int>(mine.at[1] - first.at[1]) + Problem::reach_y) * row +
                  (static_cast<int>(mine.at[2] - first.at[2]) + Problem::reach_z) * plane;
  int const own_step = axis == 2 ? plane : row;
  Index const memory_step = axis == 2 ? problem.p.plane : problem.p.row;
  Index const x_step = axis == 2 ? problem.x.plane : problem.x.row;
  // The thread's points inside the range: from `low` to `high`.
  bool has_any = true;
  for (int a = 0; a < 3; ++a) {
    has_any = has_any && (a == axis || (mine.at[a] >= problem.begin[a] && mine.at[a] < problem.end[a]));
  }
  int const low = static_cast<int>(max(Index{0}, problem.begin[axis] - mine.at[axis]));
  int const high = has_any ? static_cast<int>(min(Index{depth}, problem.end[axis] - mine.at[axis])) : 0;
  auto const inside = [&](int n) { return n >= low && n < high; };
  Real* const r_of_mine = problem.r.at(mine.at[0], mine.at[1], mine.at[2]);
  Real* const x_of_mine = problem.x.at(mine.at[0], mine.at[1], mine.at[2]);
  Real x[depth];
  Real r[depth];
#pragma unroll
  for (int n = 0; n < depth; ++n) {
    x[n] = inside(n) ? x_of_mine[n * x_step] : Real{0};
    r[n] = inside(n) ? r_of_mine[n * memory_step] : Real{0};
  }
  __syncthreads();

  CgRecurrence recurrence = problem.recurrence;
  unsigned barriers = 0;
  int taken = 0;
  bool goes_on = true;
  while (goes_on && taken < problem.steps) {
    auto const weight = static_cast<Real>(recurrence.beta);
#pragma unroll
    for (int n = 0; n < depth; ++n) {
      if (inside(n)) tile[own + n * own_step] = r[n] + weight * tile[own + n * own_step];
    }
#pragma unroll 4
    for (int n = 0; n < halo_entries; ++n) {
      int2 const entry = halo[n * ReductionTiles::columns + thread];
      tile[entry.x] = load_published(problem.r.origin + entry.y) + weight * tile[entry.x];
    }
    __syncthreads();
    Real product[depth] = {};
    PlainSum sum;
#pragma unroll
    for (int n = 0; n < depth; ++n) {
      Index const j = axis == 2 ? mine.at[1] : mine.at[1] + n;
      Index const k = axis == 2 ? mine.at[2] + n : mine.at[2];
      if (inside(n)) {
        Real const* const here = tile + own + n * own_step;
        product[n] = evaluate_with(problem.functor, Point(problem.geometry, mine.at[0], j, k), Vector{here, row, plane},
                                   problem.coefficients, mine.at[0], j, k);
        sum.add(static_cast<double>(*here * product[n]));
      }
    }
    double const curvature = problem.barrier.template sum<false>(barriers, sum);
    double* const measured = problem.measured + 2 * taken;
    ++taken;
    double next = 0;
    goes_on = recurrence.find_alpha(curvature);
    if (goes_on) {
      auto const length = static_cast<Real>(recurrence.alpha);
      sum = PlainSum{};
#pragma unroll
      for (int n = 0; n < depth; ++n) {
        if (inside(n)) {
          x[n] = x[n] + length * tile[own + n * own_step];
          r[n] = r[n] - length * product[n];
          r_of_mine[n * memory_step] = r[n];
          sum.add(static_cast<double>(r[n] * r[n]));
        }
      }
      next = problem.barrier.template sum<true>(barriers, sum);
      double const norm = sqrt(next);
      recurrence.find_beta(norm * norm);
      goes_on = norm > problem.enough && norm <= problem.too_much;
    }
    if (blockIdx.x == 0 && thread == 0) {
      measured[0] = curvature;
      measured[1] = next;
    }
  }
#pragma unroll
  for (int n = 0; n < depth; ++n) {
    if (inside(n)) {
      x_of_mine[n * x_step] = x[n];
      problem.p.at(mine.at[0], mine.at[1], mine.at[2])[n * memory_step] = tile[own + n * own_step];
    }
  }
  if (blockIdx.x == 0 && thread == 0) *problem.taken = taken;
}

/// Number of blocks of `kernel` that can be resident at a time.
[[nodiscard]] int blocks_at_a_time(void const* kernel, std::size_t shared_bytes);
/// Enqueues a kernel whose blocks are all resident at a time.
void launch_together(void const* kernel, int blocks, std::size_t shared_bytes, void* argument, cudaStream_t stream);

}  // namespace halocline::kernel::cuda
