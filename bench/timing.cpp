#include "bench/timing.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "framework/kernel/backends.hpp"
#include "framework/kernel/stream.hpp"
#include "framework/runtime/backend.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_stopwatch.hpp"
#endif

namespace halocline::benchmarking {
namespace {

/// Shorter runs are repeated until they take this long, in seconds.
constexpr double shortest_measure = 2e-3;

#if defined(KOKKOS_ENABLE_CUDA)
using cuda::check;

__global__ void copy_packs(float4* to, float4 const* from, std::size_t count) {
  std::size_t const n = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (n < count) to[n] = from[n];
}

std::vector<std::function<void()>> copies(std::byte* to, std::byte const* from, std::size_t bytes) {
  cudaStream_t const stream = Execution{}.cuda_stream();
  std::vector<std::function<void()>> all;
  all.emplace_back(
      [=] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync"); });
  for (unsigned const threads : {256U, 512U, 1024U}) {
    all.emplace_back([=] {
      auto const blocks = static_cast<unsigned>((bytes / 16 + threads - 1) / threads);
      copy_packs<<<blocks, threads, 0, stream>>>(reinterpret_cast<float4*>(to), reinterpret_cast<float4 const*>(from),
                                                 bytes / 16);
      check(cudaGetLastError(), "a copy");
    });
  }
  return all;
}
#elif defined(HALOCLINE_KERNEL_DEVICE)
std::vector<std::function<void()>> copies(std::byte* to, std::byte const* from, std::size_t bytes) {
  using Bytes = Kokkos::View<std::byte*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using ConstBytes = Kokkos::View<std::byte const*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return {[=] { Kokkos::deep_copy(Execution{}, Bytes(to, bytes), ConstBytes(from, bytes)); }};
}
#else
/// A copy of whole cache lines, divided among the threads.
template <class Copy>
std::function<void()> shared_copy(std::byte* to, std::byte const* from, std::size_t bytes, Copy copy) {
  return [=] {
    std::size_t const lines = bytes / kernel::cache_line;
    auto const workers = static_cast<std::size_t>(HostExecution{}.concurrency());
    Kokkos::parallel_for(Kokkos::RangePolicy<HostExecution>(0, workers), [=](std::size_t worker) {
      std::size_t const begin = lines * worker / workers * kernel::cache_line;
      std::size_t const end = lines * (worker + 1) / workers * kernel::cache_line;
      copy(to + begin, from + begin, end - begin);
    });
  };
}

std::vector<std::function<void()>> copies(std::byte* to, std::byte const* from, std::size_t bytes) {
  return {shared_copy(to, from, bytes, [](std::byte* t, std::byte const* f, std::size_t n) { std::memcpy(t, f, n); }),
          shared_copy(to, from, bytes, [](std::byte* t, std::byte const* f, std::size_t n) {
            for (std::size_t at = 0; at < n; at += kernel::cache_line) kernel::stream_lines<1>(t + at, f + at);
            kernel::stream_fence();
          })};
}
#endif

/// Seconds of the fastest copy that moves `bytes`.
double time_copies(Index bytes, int repetitions) {
  // At least one cache line, so that there is something to copy.
  auto const half = std::max<std::size_t>(static_cast<std::size_t>(bytes) / 2, kernel::cache_line);
  Kokkos::View<std::byte*, Memory> const from("copied from", half);
  Kokkos::View<std::byte*, Memory> const to("copied to", half);
  double best = 0;
  for (auto const& copy : copies(to.data(), from.data(), half)) {
    double const seconds = median(time_each(copy, repetitions));
    if (best == 0 || seconds < best) best = seconds;
  }
  return best;
}

}  // namespace

double elapsed(std::function<void()> const& work, int runs) {
#if defined(KOKKOS_ENABLE_CUDA)
  return cuda::Stopwatch(Execution{}.cuda_stream()).elapsed(work, runs);
#else
  Execution const execution;
  execution.fence("halocline: before a measurement");
  auto const begin = std::chrono::steady_clock::now();
  for (int n = 0; n < runs; ++n) work();
  execution.fence("halocline: end of a measurement");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
#endif
}

std::vector<double> time_each(std::function<void()> const& work, int repetitions) {
  (void)elapsed(work, 1);
  double const once = elapsed(work, 1);
  // A single repetition is for a profiler, which needs single runs.
  int const runs = repetitions == 1 ? 1 : std::max(1, static_cast<int>(shortest_measure / std::max(once, 1e-7)));
  std::vector<double> seconds;
  for (int n = 0; n < repetitions; ++n) seconds.push_back(elapsed(work, runs) / runs);
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double fastest_copy(Index bytes, int repetitions) {
  // Rows that move as many bytes are compared with the same copy.
  static std::map<std::pair<Index, int>, double> known;
  auto const found = known.find({bytes, repetitions});
  if (found != known.end()) return found->second;
  return known[{bytes, repetitions}] = time_copies(bytes, repetitions);
}

}  // namespace halocline::benchmarking
