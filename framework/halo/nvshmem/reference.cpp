#include "framework/halo/nvshmem/reference.hpp"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <cmath>
#include <cub/cub.cuh>
#include <utility>

#include "framework/halo/nvshmem/world.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/cuda_stopwatch.hpp"
#include "framework/runtime/cuda_stream.hpp"

namespace halocline::nvshmem {
namespace {

using cuda::check;

constexpr Index points = Index{1} << 22;
constexpr int threads = 256;
constexpr float left_end = 5;
constexpr float right_end = 10;
constexpr double tolerance = 1e-4;

/// A rank's part of the line. The end points of the line are fixed.
struct Line {
  Index count;
  int rank;
  int ranks;

  __device__ bool is_end(Index i) const { return (rank == 0 && i == 0) || (rank == ranks - 1 && i == count - 1); }
};

__global__ void set_ends(Line line, float* u) {
  if (line.rank == 0) u[0] = left_end;
  if (line.rank == line.ranks - 1) u[line.count - 1] = right_end;
}

__global__ void __launch_bounds__(threads) sweep(Line line, float const* old, float* next, float* norm) {
  using Sum = cub::BlockReduce<float, threads>;
  __shared__ typename Sum::TempStorage scratch;
  Index const i = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  float square = 0;
  if (i < line.count && !line.is_end(i)) {
    float const west = i > 0 ? old[i - 1] : nvshmem_float_g(old + line.count - 1, line.rank - 1);
    float const east = i < line.count - 1 ? old[i + 1] : nvshmem_float_g(old, line.rank + 1);
    float const value = 0.5F * (west + east);
    next[i] = value;
    square = (value - old[i]) * (value - old[i]);
  }
  float const sum = Sum(scratch).Sum(square);
  if (threadIdx.x == 0) atomicAdd(norm, sum);
}

void sum_over_ranks(float* number, cudaStream_t stream) {
  nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, number, number, 1, stream);
}

float* floats(Index count) {
  return reinterpret_cast<float*>(World::instance().allocate(count * Index{sizeof(float)}));
}

/// Iterates until the norm of the change is below the tolerance. `value` of the result is that norm.
ReferenceTiming jacobi(Communicator const& communicator, Line const& line, float* old, float* next, float* norm,
                       cudaStream_t stream) {
  auto const bytes = static_cast<std::size_t>(line.count) * sizeof(float);
  for (float* const u : {old, next}) {
    check(cudaMemsetAsync(u, 0, bytes, stream), "cudaMemsetAsync");
    set_ends<<<1, 1, 0, stream>>>(line, u);
  }
  auto const blocks = static_cast<unsigned>((line.count + threads - 1) / threads);
  nvshmemx_barrier_all_on_stream(stream);
  Index sweeps = 0;
  double error = 1;
  auto const sweep_all = [&] {
    for (; error > tolerance && sweeps < 1000; ++sweeps) {
      check(cudaMemsetAsync(norm, 0, sizeof(float), stream), "cudaMemsetAsync");
      sweep<<<blocks, threads, 0, stream>>>(line, old, next, norm);
      check(cudaGetLastError(), "a sweep");
      std::swap(old, next);
      sum_over_ranks(norm, stream);
      float all = 0;
      check(cudaMemcpyAsync(&all, norm, sizeof all, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      error = std::sqrt(static_cast<double>(all) / points);
    }
  };
  double const seconds = communicator.max(cuda::Stopwatch(stream).elapsed(sweep_all, 1));
  return {"a sweep whose kernel reads the neighbour's point, and its norm", seconds / static_cast<double>(sweeps),
          sweeps, error};
}

ReferenceTiming team_sum(Communicator const& communicator, cudaStream_t stream) {
  constexpr int repetitions = 500;
  float* const number = floats(1);
  check(cudaMemsetAsync(number, 0, sizeof(float), stream), "cudaMemsetAsync");
  nvshmemx_barrier_all_on_stream(stream);
  sum_over_ranks(number, stream);
  auto const sum = [&] { sum_over_ranks(number, stream); };
  double const seconds = communicator.max(cuda::Stopwatch(stream).elapsed(sum, repetitions));
  return {"the sum of one number over all ranks", seconds / repetitions, repetitions, 0};
}

}  // namespace

std::vector<ReferenceTiming> references(Communicator const& communicator) {
  cuda::OwnStream const stream;
  Line const line{points / communicator.size(), communicator.rank(), communicator.size()};
  float* const old = floats(line.count);
  float* const next = floats(line.count);
  float* const norm = floats(1);
  (void)jacobi(communicator, line, old, next, norm, stream.get());  // loads all code that is used
  return {jacobi(communicator, line, old, next, norm, stream.get()), team_sum(communicator, stream.get())};
}

}  // namespace halocline::nvshmem
