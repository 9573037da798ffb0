#pragma once

#include <cstddef>
#include <memory>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Host memory that the device copies to and from at full speed where there is one; any other otherwise. Not
/// initialised. To be freed while Kokkos runs. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> staging_memory(Index bytes);

}  // namespace halocline
