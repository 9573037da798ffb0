#include "framework/halo/nvshmem/reference.hpp"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cub/cub.cuh>
#include <string>
#include <utility>

#include "framework/halo/nvshmem/world.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/cuda_stopwatch.hpp"
#include "framework/runtime/cuda_stream.hpp"
#include "framework/runtime/error.hpp"

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

/// Updates point i unless it is an end of the line; returns the square of its change. A neighbour of another rank is
/// read from that rank's memory.
__device__ __forceinline__ float relax(Line const& line, float const* old, float* next, Index i) {
  if (i >= line.count || line.is_end(i)) return 0;
  float const west = i > 0 ? old[i - 1] : nvshmem_float_g(old + line.count - 1, line.rank - 1);
  float const east = i < line.count - 1 ? old[i + 1] : nvshmem_float_g(old, line.rank + 1);
  float const value = 0.5F * (west + east);
  next[i] = value;
  return (value - old[i]) * (value - old[i]);
}

/// Every thread adds its own term atomically.
__global__ void __launch_bounds__(threads) jacobi_atomic(Line line, float const* old, float* next, float* norm) {
  Index const i = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (i < line.count && !line.is_end(i)) atomicAdd(norm, relax(line, old, next, i));
}

/// A block first adds up its terms.
__global__ void __launch_bounds__(threads) jacobi_block_reduce(Line line, float const* old, float* next, float* norm) {
  using Sum = cub::BlockReduce<float, threads>;
  __shared__ typename Sum::TempStorage scratch;
  float const square = relax(line, old, next, static_cast<Index>(blockIdx.x) * threads + threadIdx.x);
  float const sum = Sum(scratch).Sum(square);
  if (threadIdx.x == 0) atomicAdd(norm, sum);
}
using Sweep = void (*)(Line, float const*, float*, float*);

void sum_over_ranks(float* number, cudaStream_t stream) {
  nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, number, number, 1, stream);
}

float* floats(Index count) {
  return reinterpret_cast<float*>(World::instance().allocate(count * Index{sizeof(float)}));
}

/// The norm at every tenth iteration, as printed where these kernels come from.
constexpr std::array printed{0.00272958, 0.00034546, 0.000210903, 0.000157015, 0.000127122, 0.00010783};

/// Throws DefectError unless the iteration took the known course, to the six printed digits: a digit's half, and the
/// roundings of sums in single precision.
void check_course(ReferenceTiming const& timing) {
  auto const agree = [](double norm, double known) { return std::abs(norm - known) <= 1e-5 * known; };
  if (!std::ranges::equal(timing.history, printed, agree)) {
    throw DefectError(timing.name + ": the norms of its iterations are not the known ones");
  }
}

/// Iterates until the norm of the change is below the tolerance. `value` of the result is that norm, `history` the norm
/// at every tenth iteration.
ReferenceTiming jacobi(Communicator const& communicator, std::string const& name, Sweep sweep, Line const& line,
                       float* old, float* next, float* norm, cudaStream_t stream) {
  auto const bytes = static_cast<std::size_t>(line.count) * sizeof(float);
  for (float* const u : {old, next}) {
    check(cudaMemsetAsync(u, 0, bytes, stream), "cudaMemsetAsync");
    set_ends<<<1, 1, 0, stream>>>(line, u);
  }
  auto const blocks = static_cast<unsigned>((line.count + threads - 1) / threads);
  nvshmemx_barrier_all_on_stream(stream);
  ReferenceTiming timing;
  timing.name = name;
  timing.value = 1;
  auto const sweep_all = [&] {
    for (; timing.value > tolerance && timing.repetitions < 1000; ++timing.repetitions) {
      check(cudaMemsetAsync(norm, 0, sizeof(float), stream), "cudaMemsetAsync");
      sweep<<<blocks, threads, 0, stream>>>(line, old, next, norm);
      check(cudaGetLastError(), "a sweep");
      std::swap(old, next);
      sum_over_ranks(norm, stream);
      float all = 0;
      check(cudaMemcpyAsync(&all, norm, sizeof all, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      timing.value = std::sqrt(static_cast<double>(all) / points);
      if (timing.repetitions % 10 == 0) timing.history.push_back(timing.value);
    }
  };
  double const seconds = communicator.max(cuda::Stopwatch(stream).elapsed(sweep_all, 1));
  timing.seconds = seconds / static_cast<double>(timing.repetitions);
  check_course(timing);
  return timing;
}

ReferenceTiming team_sum(Communicator const& communicator, cudaStream_t stream) {
  constexpr int repetitions = 500;
  float* const number = floats(1);
  check(cudaMemsetAsync(number, 0, sizeof(float), stream), "cudaMemsetAsync");
  nvshmemx_barrier_all_on_stream(stream);
  sum_over_ranks(number, stream);
  auto const sum = [&] { sum_over_ranks(number, stream); };
  double const seconds = communicator.max(cuda::Stopwatch(stream).elapsed(sum, repetitions));
  return {"the sum of one number over all ranks", seconds / repetitions, repetitions, 0, {}};
}

}  // namespace

std::vector<ReferenceTiming> references(Communicator const& communicator) {
  cuda::OwnStream const stream;
  Line const line{points / communicator.size(), communicator.rank(), communicator.size()};
  float* const old = floats(line.count);
  float* const next = floats(line.count);
  float* const norm = floats(1);
  constexpr std::pair<char const*, Sweep> sweeps[] = {
      {"a sweep whose kernel reads the neighbour's point, and its norm", &jacobi_block_reduce},
      {"the same with an atomic addition a thread", &jacobi_atomic}};
  std::vector<ReferenceTiming> timings;
  for (auto const& [name, sweep] : sweeps) {
    // The first run loads all code that is used.
    for (int run = 0; run < 2; ++run) {
      ReferenceTiming const timing = jacobi(communicator, name, sweep, line, old, next, norm, stream.get());
      if (run == 1) timings.push_back(timing);
    }
  }
  timings.push_back(team_sum(communicator, stream.get()));
  return timings;
}

}  // namespace halocline::nvshmem
