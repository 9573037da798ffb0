#pragma once

#include <cuda_runtime.h>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/cuda_check.hpp"

namespace halocline::kernel::cuda {

/// What sweeps need to know of the current device; asked for once for each.
struct Device {
  int multiprocessors = 0;
  int shared_bytes = 0;     ///< that a block may have
  bool async_copy = false;  ///< whether it and the code that it runs have the copy engine
  bool clusters = false;    ///< whether it and the code that it runs have clusters of blocks
};
[[nodiscard]] Device const& current_device();
[[nodiscard]] int current_device_number();

/// `count` numbers in the memory of the current device that are zero before and after every kernel on `stream`. They
/// stay where they are until Kokkos ends, as captured graphs need it. One host thread a stream, and not the default
/// stream of each thread.
[[nodiscard]] unsigned* counters(cudaStream_t stream, Index count);

using halocline::cuda::check;

}  // namespace halocline::kernel::cuda
