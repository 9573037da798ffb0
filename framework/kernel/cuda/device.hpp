#pragma once

#include <cuda_runtime.h>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/cuda_check.hpp"

namespace halocline::kernel::cuda {

/// What sweeps need to know of the current device; queried once per device.
struct Device {
  int multiprocessors = 0;
  int shared_bytes = 0;     ///< the most that a block may use
  double clock = 0;         ///< highest, of a multiprocessor, in 1 / s
  double bandwidth = 0;     ///< peak, of the memory, in bytes / s
  bool async_copy = false;  ///< whether the device, and the code that runs on it, support TMA
  bool clusters = false;    ///< whether the device, and the code that runs on it, support thread-block clusters
};
[[nodiscard]] Device const& current_device();
[[nodiscard]] int current_device_number();

/// `count` counters in the memory of the current device that are zero before and after every kernel on `stream`. The
/// memory stays allocated until Kokkos ends, because captured graphs use it. Only one host thread may use a stream, and
/// no stream may be the per-thread default stream.
[[nodiscard]] unsigned* counters(cudaStream_t stream, Index count);

using halocline::cuda::check;

}  // namespace halocline::kernel::cuda
