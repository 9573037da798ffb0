#include "framework/kernel/cuda/device.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace halocline::kernel::cuda {
namespace {

__global__ void any_kernel() {}

/// Ten times the compute capability that the code running on the current device was compiled for. A newer device also
/// runs code for older ones, without the features that these lack.
int capability_of_code() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, any_kernel), "cudaFuncGetAttributes");
  return attributes.ptxVersion;
}

/// Properties of the current device.
Device facts_of(int device) {
  auto const attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };
  bool const is_of_hopper = capability_of_code() >= 90;
  return {.multiprocessors = attribute(cudaDevAttrMultiProcessorCount),
          .shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .clock = 1e3 * attribute(cudaDevAttrClockRate),
          // Two transfers per clock.
          .bandwidth = 2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8,
          .async_copy = is_of_hopper,
          .clusters = is_of_hopper};
}

/// One allocation for each stream, kept until Kokkos ends.
class Counters {
 public:
  static Counters& instance() {
    static Counters counters;
    return counters;
  }
  unsigned* get(cudaStream_t stream, Index count) {
    std::scoped_lock const lock(mutex_);
    if (!hooked_) Kokkos::push_finalize_hook([] { instance().release(); });
    hooked_ = true;
    Entry& entry = entries_[{current_device_number(), stream}];
    if (count > entry.count) {
      Index const wanted = std::max<Index>({count, 2 * entry.count, 4096});
      auto const bytes = static_cast<std::size_t>(wanted) * sizeof(unsigned);
      void* memory = nullptr;
      check(cudaMallocAsync(&memory, bytes, stream), "cudaMallocAsync");
      check(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
      if (entry.memory != nullptr) outgrown_.push_back(entry.memory);
      entry = {static_cast<unsigned*>(memory), wanted};
    }
    return entry.memory;
  }

 private:
  struct Entry {
    unsigned* memory = nullptr;
    Index count = 0;
  };
  void release() {
    std::scoped_lock const lock(mutex_);
    (void)cudaDeviceSynchronize();
    for (auto const& [where, entry] : entries_) (void)cudaFree(entry.memory);
    for (unsigned* const memory : outgrown_) (void)cudaFree(memory);
    entries_.clear();
    outgrown_.clear();
    hooked_ = false;
  }
  std::mutex mutex_;
  std::map<std::pair<int, cudaStream_t>, Entry> entries_;
  std::vector<unsigned*> outgrown_;  ///< still used by graphs that were captured with them
  bool hooked_ = false;
};

}  // namespace

int current_device_number() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

Device const& current_device() {
  static std::mutex mutex;
  static std::map<int, Device> devices;
  std::scoped_lock const lock(mutex);
  int const device = current_device_number();
  auto const known = devices.find(device);
  return known != devices.end() ? known->second : devices.emplace(device, facts_of(device)).first->second;
}

unsigned* counters(cudaStream_t stream, Index count) { return Counters::instance().get(stream, count); }

}  // namespace halocline::kernel::cuda
