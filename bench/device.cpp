#include "bench/device.hpp"

#include "bench/benchmark.hpp"
#include "framework/kernel/backends.hpp"
#include "framework/runtime/backend.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/device.hpp"
#endif

namespace halocline::benchmarking {

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

Index attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  kernel::cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  kernel::cuda::check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

Index second_level_cache_bytes() { return attribute(cudaDevAttrL2CacheSize); }

double peak_bytes_per_second() {
  // Two transfers a clock.
  double const transfers = 2 * 1e3 * static_cast<double>(attribute(cudaDevAttrMemoryClockRate));
  return transfers * static_cast<double>(attribute(cudaDevAttrGlobalMemoryBusWidth)) / 8;
}

std::vector<Fact> device_facts() {
  return {{"multiprocessors", static_cast<double>(attribute(cudaDevAttrMultiProcessorCount))},
          {"second-level cache, bytes", static_cast<double>(second_level_cache_bytes())},
          {"peak of the memory, bytes a second", peak_bytes_per_second()}};
}
#else
Index second_level_cache_bytes() { return 0; }

double peak_bytes_per_second() { return 0; }

std::vector<Fact> device_facts() { return {{"threads", static_cast<double>(Execution{}.concurrency())}}; }
#endif

}  // namespace halocline::benchmarking
