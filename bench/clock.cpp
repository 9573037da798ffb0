#include "bench/clock.hpp"

#include <Kokkos_Core.hpp>
#include <map>
#include <vector>

#include "framework/runtime/backend.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/device.hpp"
#endif

namespace halocline::benchmarking {

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

/// A multiprocessor's clock counter, and the time.
struct Sample {
  unsigned multiprocessor;
  long long clocks;
  unsigned long long nanoseconds;
};

__global__ void take_sample(Sample* samples) {
  Sample sample{};
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sample.multiprocessor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(sample.nanoseconds));
  sample.clocks = clock64();
  samples[blockIdx.x] = sample;
}

/// The first sample of every multiprocessor that ran a block.
std::map<unsigned, Sample> samples_now() {
  std::size_t const blocks = 8 * static_cast<std::size_t>(kernel::cuda::current_device().multiprocessors);
  Kokkos::View<Sample*, Memory> const device("samples", blocks);
  take_sample<<<static_cast<unsigned>(blocks), 32, 0, Execution{}.cuda_stream()>>>(device.data());
  kernel::cuda::check(cudaGetLastError(), "a sample of the clock");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device);
  std::map<unsigned, Sample> all;
  for (std::size_t n = 0; n < blocks; ++n) all.emplace(host(n).multiprocessor, host(n));
  return all;
}

}  // namespace

double clock_during(std::function<void()> const& work) {
  auto const before = samples_now();
  work();
  auto const after = samples_now();
  double sum = 0;
  int count = 0;
  for (auto const& [multiprocessor, end] : after) {
    auto const begin = before.find(multiprocessor);
    if (begin == before.end()) continue;
    sum += 1e9 * static_cast<double>(end.clocks - begin->second.clocks) /
           static_cast<double>(end.nanoseconds - begin->second.nanoseconds);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}
#else
double clock_during(std::function<void()> const& work) {
  work();
  return 0;
}
#endif

}  // namespace halocline::benchmarking
