#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_check.hpp"
#endif

// Functions for hand-written kernels whose names differ between CUDA and HIP.

namespace halocline::benchmarking {

/// Writes a value that is not read soon: caches may evict it first.
__device__ __forceinline__ void store_streaming(double* to, double value) {
#if defined(KOKKOS_ENABLE_CUDA)
  __stcs(to, value);
#else
  __builtin_nontemporal_store(value, to);
#endif
}

/// The stream on which benchmarks are timed.
[[nodiscard]] inline auto stream_of_benchmarks() {
#if defined(KOKKOS_ENABLE_CUDA)
  return Execution{}.cuda_stream();
#else
  return Execution{}.hip_stream();
#endif
}

#if defined(KOKKOS_ENABLE_CUDA)
using cuda::check;
#else
/// As for CUDA.
inline void check(hipError_t error, char const* call) {
  if (error == hipErrorOutOfMemory) throw StoppedError(std::string(call) + ": out of memory of a device");
  if (error != hipSuccess) throw DefectError(std::string(call) + ": " + hipGetErrorString(error));
}
#endif

/// Throws unless the last launch was accepted.
inline void check_launch(char const* what) {
#if defined(KOKKOS_ENABLE_CUDA)
  check(cudaGetLastError(), what);
#else
  check(hipGetLastError(), what);
#endif
}

}  // namespace halocline::benchmarking
