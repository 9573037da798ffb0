#pragma once

#include <string>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Whether fields live in device memory. Does not query any device.
[[nodiscard]] bool uses_device_memory();
/// Devices of the backend that this process sees; 0 when the backend has none.
[[nodiscard]] int device_count();
/// Number of the device that Kokkos uses, among those visible; negative when the backend has none.
[[nodiscard]] int device_number();
/// Free bytes on a device; 0 when the backend has none. Does not change the current device.
[[nodiscard]] Index free_device_memory(int device);
/// Name of a device; empty when the backend has none.
[[nodiscard]] std::string device_name(int device);
/// Name of the device that Kokkos uses.
[[nodiscard]] std::string device_name();
/// Address of a device on the PCI bus, "0000:41:00.0"; empty when the backend has none.
[[nodiscard]] std::string device_address(int device);
/// Whether kernels of several processes run on a device at the same time, as they do under NVIDIA's multi-process
/// service; otherwise the processes take turns.
[[nodiscard]] bool runs_processes_together(int device);

}  // namespace halocline
