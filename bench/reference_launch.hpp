#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_check.hpp"
#endif

// What kernels written by hand for NVIDIA's and for AMD's GPUs need and both languages call by names of their own.

namespace halocline::benchmarking {

/// Writes a value that nobody reads soon: the caches may drop it first.
__device__ __forceinline__ void store_streaming(double* to, double value) {
#if defined(KOKKOS_ENABLE_CUDA)
  __stcs(to, value);
#else
  __builtin_nontemporal_store(value, to);
#endif
}

/// The stream that benchmarks are timed on.
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
