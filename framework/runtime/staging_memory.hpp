#pragma once

#include <cstddef>
#include <memory>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Pinned host memory, which the device copies to and from at full speed; ordinary memory without a device. Not
/// initialised. Must be freed while Kokkos runs. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> staging_memory(Index bytes);

}  // namespace halocline
