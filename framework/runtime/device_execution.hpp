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

/// An execution instance and its device.
class DeviceExecution {
 public:
  /// The default instance of this rank.
  DeviceExecution() = default;
  /// An instance with its own stream on a device of this process; the default instance on a host and where Kokkos
  /// supports only one device. Does not change the current device. Throws InputError for a device that Kokkos cannot
  /// use.
  explicit DeviceExecution(int on_device);

 private:
  std::shared_ptr<void> stream_;  ///< outlives the instance

 public:
  Execution instance{};
  int device = device_of(instance);
};

}  // namespace halocline
