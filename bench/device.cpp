#include "bench/device.hpp"

#include <cstddef>

#include "bench/benchmark.hpp"
#include "framework/kernel/backends.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/device_runtime.hpp"

#if defined(HALOCLINE_DEVICE_RUNTIME)
#include "bench/reference_launch.hpp"
#endif

namespace halocline::benchmarking {

#if defined(HALOCLINE_DEVICE_RUNTIME)
namespace {

#if defined(KOKKOS_ENABLE_CUDA)
constexpr auto get_attribute = cudaDeviceGetAttribute;
constexpr auto clock_rate = cudaDevAttrMemoryClockRate;
constexpr auto bus_width = cudaDevAttrGlobalMemoryBusWidth;
constexpr auto cache_bytes = cudaDevAttrL2CacheSize;
constexpr auto multiprocessors = cudaDevAttrMultiProcessorCount;
#else
constexpr auto get_attribute = hipDeviceGetAttribute;
constexpr auto clock_rate = hipDeviceAttributeMemoryClockRate;
constexpr auto bus_width = hipDeviceAttributeMemoryBusWidth;
constexpr auto cache_bytes = hipDeviceAttributeL2CacheSize;
constexpr auto multiprocessors = hipDeviceAttributeMultiprocessorCount;
#endif

template <class Attribute>
Index attribute(Attribute which) {
  int device = 0;
  int value = 0;
  check(device_runtime::get_device(&device), "the current device");
  check(get_attribute(&value, which, device), "an attribute of a device");
  return value;
}

double memory_gibibytes() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(device_runtime::get_memory(&available, &total), "the memory of a device");
  return static_cast<double>(total) / (1 << 30U);
}

}  // namespace

Index second_level_cache_bytes() { return attribute(cache_bytes); }

double peak_bytes_per_second() {
  // Two transfers per clock.
  double const transfers = 2 * 1e3 * static_cast<double>(attribute(clock_rate));
  return transfers * static_cast<double>(attribute(bus_width)) / 8;
}

std::vector<Fact> device_facts() {
  return {{"multiprocessors", static_cast<double>(attribute(multiprocessors))},
          {"memory, GiB", memory_gibibytes()},
          {"second-level cache, bytes", static_cast<double>(second_level_cache_bytes())},
          {"peak of the memory, bytes a second", peak_bytes_per_second()}};
}
#else
Index second_level_cache_bytes() { return 0; }

double peak_bytes_per_second() { return 0; }

std::vector<Fact> device_facts() { return {{"threads", static_cast<double>(Execution{}.concurrency())}}; }
#endif

}  // namespace halocline::benchmarking
