#include "framework/runtime/device.hpp"

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/device_runtime.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline {

bool uses_device_memory() { return !memory_on_host; }

int device_number() { return Kokkos::device_id(); }

std::string device_name() { return device_name(Kokkos::device_id()); }

#if defined(HALOCLINE_DEVICE_RUNTIME)

// Kokkos' own count ends the program if there is no driver.
int device_count() {
  int count = 0;
  return device_runtime::get_device_count(&count) == device_runtime::success ? count : 0;
}

Index free_device_memory(int device) {
  CurrentDevice const current(device);
  std::size_t available = 0;
  std::size_t total = 0;
  return device_runtime::get_memory(&available, &total) == device_runtime::success ? static_cast<Index>(available) : 0;
}

std::string device_name(int device) {
  device_runtime::Properties properties{};
  return device_runtime::get_properties(&properties, device) == device_runtime::success ? properties.name : "";
}

std::string device_address(int device) {
  std::array<char, 32> address{};
  auto const status = device_runtime::get_address(address.data(), static_cast<int>(address.size()), device);
  return status == device_runtime::success ? address.data() : "";
}

bool runs_processes_together([[maybe_unused]] int device) {
#if defined(KOKKOS_ENABLE_CUDA) && CUDART_VERSION >= 12040
  int service = 0;
  return cudaDeviceGetAttribute(&service, cudaDevAttrMpsEnabled, device) == cudaSuccess && service != 0;
#else
  return false;
#endif
}

#else

int device_count() { return 0; }

Index free_device_memory(int) { return 0; }

std::string device_name(int) { return ""; }

std::string device_address(int) { return ""; }

bool runs_processes_together(int) { return false; }

#endif

}  // namespace halocline
