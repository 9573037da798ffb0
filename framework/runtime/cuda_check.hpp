#pragma once

#include <cuda_runtime.h>

#include <string>

#include "framework/runtime/error.hpp"

namespace halocline::cuda {

/// Throws with the name of the call if it failed: StoppedError where the device has no memory left, as any lack of
/// memory ends a run, otherwise DefectError.
inline void check(cudaError_t error, char const* call) {
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // who catches this may go on, and the next check is not to find it
    throw StoppedError(std::string(call) + ": out of memory of a device");
  }
  if (error != cudaSuccess) throw DefectError(std::string(call) + ": " + cudaGetErrorString(error));
}

}  // namespace halocline::cuda
