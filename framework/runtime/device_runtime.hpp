#pragma once

#include <Kokkos_Macros.hpp>

// Calls that CUDA and HIP both have for devices, under one set of names.

#if defined(KOKKOS_ENABLE_CUDA)

#include <cuda_runtime.h>
#define HALOCLINE_DEVICE_RUNTIME

namespace halocline::device_runtime {
using Properties = cudaDeviceProp;
inline constexpr auto success = cudaSuccess;
inline constexpr auto get_device_count = cudaGetDeviceCount;
inline constexpr auto get_properties = cudaGetDeviceProperties;
inline constexpr auto get_address = cudaDeviceGetPCIBusId;
inline constexpr auto get_device = cudaGetDevice;
inline constexpr auto set_device = cudaSetDevice;
inline constexpr auto get_memory = cudaMemGetInfo;
}  // namespace halocline::device_runtime

#elif defined(KOKKOS_ENABLE_HIP)

#include <hip/hip_runtime.h>
#define HALOCLINE_DEVICE_RUNTIME

namespace halocline::device_runtime {
using Properties = hipDeviceProp_t;
inline constexpr auto success = hipSuccess;
inline constexpr auto get_device_count = hipGetDeviceCount;
inline constexpr auto get_properties = hipGetDeviceProperties;
inline constexpr auto get_address = hipDeviceGetPCIBusId;
inline constexpr auto get_device = hipGetDevice;
inline constexpr auto set_device = hipSetDevice;
inline constexpr auto get_memory = hipMemGetInfo;
}  // namespace halocline::device_runtime

#endif
