#pragma once

#include <Kokkos_Core.hpp>

#include "framework/runtime/config.hpp"

namespace halocline {

/// Where kernels run in this build, and the memory they work on.
using Execution = HALOCLINE_EXECUTION;
using Memory = Execution::memory_space;

}  // namespace halocline
