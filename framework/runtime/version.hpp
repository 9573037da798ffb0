#pragma once

#include "framework/runtime/config.hpp"

namespace halocline {

/// Version of this build, recorded by plugins and in a run's record.
inline constexpr char const* version = HALOCLINE_VERSION;
/// Execution space of this build as Kokkos names it: "OpenMP", "Serial", "Threads", "Cuda", "HIP".
inline constexpr char const* backend_name = HALOCLINE_BACKEND_NAME;

/// The commit the libraries were built from, ending in "-dirty" if files differed from it; "unknown" outside git.
[[nodiscard]] char const* revision();

}  // namespace halocline
