#pragma once

#include <cuda_runtime.h>

#include <string>

#include "framework/runtime/error.hpp"

namespace halocline::cuda {

/// Throws with the name of the call if it failed: StoppedError if the device is out of memory, otherwise DefectError.
inline void check(cudaError_t error, char const* call) {
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // clear the error: a caller that catches this may continue, and the next check must not
                               // see it
    throw StoppedError(std::string(call) + ": out of memory of a device");
  }
  if (error != cudaSuccess) throw DefectError(std::string(call) + ": " + cudaGetErrorString(error));
}

}  // namespace halocline::cuda
