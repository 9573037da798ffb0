#pragma once

#include <memory>

#include "framework/runtime/backend.hpp"

namespace halocline {

/// Number of the device that an execution instance works on; -1 where the backend has none.
[[nodiscard]] inline int device_of([[maybe_unused]] Execution const& execution) {
#if defined(KOKKOS_ENABLE_CUDA)
  return execution.cuda_device();
#elif defined(KOKKOS_ENABLE_HIP)
  return execution.hip_device();
#else
  return -1;
#endif
}

/// An execution instance, and the device that it works on.
class DeviceExecution {
 public:
  /// The default instance of this rank.
  DeviceExecution() = default;
  /// An instance with a stream of its own, on a device of this process; on a host, and where Kokkos knows one device
  /// alone, the default one. Leaves the current device as it was. Throws InputError for a device that Kokkos cannot
  /// use.
  explicit DeviceExecution(int on_device);

 private:
  std::shared_ptr<void> stream_;  ///< outlives the instance

 public:
  Execution instance{};
  int device = device_of(instance);
};

}  // namespace halocline
