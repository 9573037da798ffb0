#pragma once

#include <string>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Whether fields live in the memory of devices. Asks no device.
[[nodiscard]] bool uses_device_memory();
/// Devices of the backend that this process sees; 0 when the backend has none.
[[nodiscard]] int device_count();
/// Number of the device that Kokkos uses, among those; negative when the backend has none.
[[nodiscard]] int device_number();
/// Free bytes on the device that Kokkos uses; 0 when the backend has none.
[[nodiscard]] Index free_device_memory();
/// Name of the device that Kokkos uses; empty when the backend has none.
[[nodiscard]] std::string device_name();
/// Its address on the PCI bus, "0000:41:00.0"; empty when the backend has none.
[[nodiscard]] std::string device_address();

}  // namespace halocline
