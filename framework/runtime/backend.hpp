#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "framework/runtime/config.hpp"

namespace halocline {

/// Where kernels run in this build, and the memory they work on.
using Execution = HALOCLINE_EXECUTION;
using Memory = Execution::memory_space;
/// Whether the host can access this memory directly.
inline constexpr bool memory_on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// Host threads: the same execution space as the kernels' if these run on the host.
using HostExecution =
    std::conditional_t<std::is_same_v<Memory, Kokkos::HostSpace>, Execution, Kokkos::DefaultHostExecutionSpace>;

}  // namespace halocline
