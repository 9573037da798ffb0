#include "framework/runtime/device.hpp"

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline {

bool uses_device_memory() { return !memory_on_host; }

int device_number() { return Kokkos::device_id(); }

#if defined(KOKKOS_ENABLE_CUDA)

// Kokkos' own count ends the program where there is no driver.
int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Index free_device_memory(int device) {
  CurrentDevice const current(device);
  std::size_t available = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? static_cast<Index>(available) : 0;
}

std::string device_name() {
  cudaDeviceProp properties;
  return cudaGetDeviceProperties(&properties, Kokkos::device_id()) == cudaSuccess ? properties.name : "";
}

std::string device_address(int device) {
  std::array<char, 32> address{};
  auto const status = cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device);
  return status == cudaSuccess ? address.data() : "";
}

#elif defined(KOKKOS_ENABLE_HIP)

int device_count() {
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
}

Index free_device_memory(int device) {
  CurrentDevice const current(device);
  std::size_t available = 0;
  std::size_t total = 0;
  return hipMemGetInfo(&available, &total) == hipSuccess ? static_cast<Index>(available) : 0;
}

std::string device_name() {
  hipDeviceProp_t properties;
  return hipGetDeviceProperties(&properties, Kokkos::device_id()) == hipSuccess ? properties.name : "";
}

std::string device_address(int device) {
  std::array<char, 32> address{};
  auto const status = hipDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device);
  return status == hipSuccess ? address.data() : "";
}

#else

int device_count() { return 0; }

Index free_device_memory(int) { return 0; }

std::string device_name() { return ""; }

std::string device_address(int) { return ""; }

#endif

}  // namespace halocline
