#pragma once

#include <cstddef>
#include <utility>

#include "framework/kernel/cuda/pack.hpp"
#include "framework/kernel/cuda/reduction_tile_sums.hpp"
#include "framework/kernel/reduction_tiles.hpp"
#include "framework/kernel/scalar.hpp"
#include "framework/kernel/views.hpp"

// The direct form of a sweep, for everything that does not stream: small ranges, views of any alignment, functors
// without neighbours in 1D and 2D or without outputs. A thread processes neighbouring columns of a reduction tile;
// neighbour values come from the first-level cache.

namespace halocline::kernel::cuda {

struct DirectPlan {
  Index begin[3] = {0, 0, 0};
  Index end[3] = {0, 0, 0};
  ReductionTiles reduction_tiles;
  unsigned* counters = nullptr;  ///< of the merge
};

/// What a functor sees of an input of shape `In` in memory, at point X of a thread's `Width` neighbours along x.
template <class Real, class In, int Width, int X>
struct DirectReader {
  Real const* at;  ///< of the thread's first point
  Index row;
  Index plane;

  template <int I, int J, int K>
  __device__ __forceinline__ Real operator[](Offset<I, J, K>) const {
    static_assert(ReadWithinShape<In, I, J, K>::value);
    Real const* const first = at + J * row + K * plane;
    if constexpr (Width > 1 && 0 <= X + I && X + I < Width) {
      return reinterpret_cast<Pack<Real, Width> const*>(first)->value[X + I];
    } else {
      return first[X + I];
    }
  }
};

/// Evaluates the point at (i + X, j, k), where (i, j, k) is the first of a thread's `Width`. `functor`: bound.
template <int X, int Width, class Task, std::size_t... N, class... Real>
__device__ __forceinline__ typename Task::Returned evaluate_directly(
    Task const& task, typename Task::FunctorType const& functor,
    [[maybe_unused]] InputsAt<std::index_sequence<N...>, Real...> const& in, Index i, Index j, Index k) {
  return functor(Point(task.geometry, i + X, j, k),
                 DirectReader<Real, InputShape<typename Task::FunctorType, static_cast<int>(N)>, Width, X>{
                     input_at<N>(in).at(i, j, k), input_at<N>(in).row, input_at<N>(in).plane}...);
}

/// The same for `Width` neighbours.
template <int Width, class Task>
__device__ __forceinline__ void evaluate_directly(Task const& task, typename Task::FunctorType const& functor, Index i,
                                                  Index j, Index k, typename Task::Returned (&returned)[Width]) {
  [&]<int... X>(std::integer_sequence<int, X...>) __attribute__((always_inline)) {
    ((returned[X] = evaluate_directly<X, Width>(task, functor, task.in, i, j, k)), ...);
  }
  (std::make_integer_sequence<int, Width>());
}

/// Stores what `Width` neighbours return and adds their terms to the sums of their columns.
template <int Width, class Task, class Accumulator, int Sums, int Columns>
__device__ __forceinline__ void keep_directly(Task const& task, Index i, Index j, Index k,
                                              typename Task::Returned const (&returned)[Width],
                                              Accumulator (&sum)[Sums][Columns], int column) {
  using Returned = typename Task::Returned;
  [&]<int... X>(std::integer_sequence<int, X...>) __attribute__((always_inline)) {
    if constexpr (Task::outputs > 0) {
      using Value = typename Task::Value;
      for (int m = 0; m < Task::outputs; ++m) {
        *reinterpret_cast<Pack<Value, Width>*>(task.out.view[m].at(i, j, k)) = {
            Returns<Returned>::value(returned[X], m)...};
      }
    }
    if constexpr (Task::sums > 0) {
      for (int m = 0; m < Task::sums; ++m) {
        (sum[m][column + X].add(static_cast<double>(Returns<Returned>::term(returned[X], m))), ...);
      }
    }
  }
  (std::make_integer_sequence<int, Width>());
}

/// Evaluates `Width` neighbours, stores what they return and adds to the sums.
template <int Width, class Task, class Accumulator, int Sums, int Columns>
__device__ __forceinline__ void update_directly(Task const& task, typename Task::FunctorType const& functor, Index i,
                                                Index j, Index k, Accumulator (&sum)[Sums][Columns], int column) {
  typename Task::Returned returned[Width];
  evaluate_directly<Width>(task, functor, i, j, k, returned);
  keep_directly<Width>(task, i, j, k, returned, sum, column);
}

/// Threads of a block, which processes `Width` adjacent reduction tiles.
inline constexpr int direct_threads = ReductionTiles::columns;

template <class Task, class Accumulator, int Width>
__global__ void __launch_bounds__(direct_threads)
    direct_sweep(__grid_constant__ Task const task, __grid_constant__ DirectPlan const plan,
                 __grid_constant__ ReductionTileSums<Accumulator> const sums) {
  constexpr int sum_count = Task::sums > 0 ? Task::sums : 1;
  constexpr int threads_of_reduction_tile = ReductionTiles::columns / Width;
  ReductionTiles const& reduction_tiles = plan.reduction_tiles;
  int const thread = static_cast<int>(threadIdx.x);
  Index const reduction_tile = static_cast<Index>(blockIdx.x) * Width + thread / threads_of_reduction_tile;
  ReductionTiles::Column column = reduction_tiles.column(reduction_tile, thread % threads_of_reduction_tile * Width);
  Index(&at)[3] = column.at;
  BoundFunctor<typename Task::FunctorType> functor = bound(task.functor);
  Accumulator sum[sum_count][Width];
  int const steps = reduction_tile < reduction_tiles.total() ? reduction_tiles.steps : 0;
  int done = 0;
  if constexpr (Task::radius == 0) {
    // Only this thread reads these values, so the loads of several steps may precede the stores of the first.
    constexpr int batch = 4;
    bool inside = at[0] >= plan.begin[0];
    for (int a = 0; a < 3; ++a) {
      inside = inside && at[a] + (steps - 1) * column.step[a] + (a == 0 ? Width : 1) <= plan.end[a];
    }
    auto const along = [&](int axis, int n) { return at[axis] + n * column.step[axis]; };
    for (; inside && done + batch <= steps; done += batch) {
      typename Task::Returned returned[batch][Width];
#pragma unroll
      for (int n = 0; n < batch; ++n) {
        evaluate_directly<Width>(task, functor, along(0, n), along(1, n), along(2, n), returned[n]);
      }
#pragma unroll
      for (int n = 0; n < batch; ++n) {
        keep_directly<Width>(task, along(0, n), along(1, n), along(2, n), returned[n], sum, 0);
      }
      for (int a = 0; a < 3; ++a) at[a] += batch * column.step[a];
    }
  }
  constexpr int copies = Task::is_long ? 1 : 2;
#pragma unroll copies
  for (; done < steps; ++done) {
    if (at[1] < plan.end[1] && at[2] < plan.end[2]) {
      if (at[0] >= plan.begin[0] && at[0] + Width <= plan.end[0]) {
        update_directly<Width>(task, functor, at[0], at[1], at[2], sum, 0);
      } else if constexpr (Width > 1) {
        // Points one by one, so that nothing is read for points outside of the range.
#pragma unroll
        for (int x = 0; x < Width; ++x) {
          if (at[0] + x >= plan.begin[0] && at[0] + x < plan.end[0]) {
            update_directly<1>(task, functor, at[0] + x, at[1], at[2], sum, x);
          }
        }
      }
    }
    for (int a = 0; a < 3; ++a) at[a] += column.step[a];
  }
  if constexpr (Task::sums > 0) {
    constexpr int warps = direct_threads / 32;
    constexpr int warps_of_reduction_tile = warps / Width;
    alignas(Accumulator)
        __shared__ unsigned char shared[(sum_count * warps + merge_scratch(most_at_once)) * sizeof(Accumulator)];
    auto* const merged = reinterpret_cast<Accumulator*>(shared);
    Accumulator* const scratch = merged + sum_count * warps;
    for (int m = 0; m < sum_count; ++m) {
      Accumulator const of_warp = merge_neighbouring_lanes<32>(merge_neighbours<Width>(sum[m]));
      if (thread % 32 == 0) merged[m * warps + thread / 32] = of_warp;
    }
    __syncthreads();
    if (thread < sum_count * Width) {
      Index const mine = static_cast<Index>(blockIdx.x) * Width + thread % Width;
      if (mine < reduction_tiles.total()) {
        sums.partials[thread / Width * sums.room + mine] = merge_neighbours<warps_of_reduction_tile>(
            merged + thread / Width * warps + thread % Width * warps_of_reduction_tile);
      }
    }
    finish_reduction_tiles<Task::sums>(
        sums, reduction_tiles.total(), plan.counters, Width,
        [&](int n) {
          Index const mine = static_cast<Index>(blockIdx.x) * Width + n;
          return mine < reduction_tiles.total() ? mine : Index{-1};
        },
        scratch, thread, direct_threads);
  }
}

}  // namespace halocline::kernel::cuda
