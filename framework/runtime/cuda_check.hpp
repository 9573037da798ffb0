#pragma once

#include <cuda_runtime.h>

#include <string>

#include "framework/runtime/error.hpp"

namespace halocline::cuda {

/// Throws DefectError with the name of the call if it failed.
inline void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw DefectError(std::string(call) + ": " + cudaGetErrorString(error));
}

}  // namespace halocline::cuda
