#include "framework/runtime/staging_memory.hpp"

#include <Kokkos_Core.hpp>

namespace halocline {

std::shared_ptr<std::byte> staging_memory(Index bytes) {
  using Space = Kokkos::SharedHostPinnedSpace;
  auto* const memory = Kokkos::kokkos_malloc<Space>("staging memory", static_cast<std::size_t>(bytes));
  return {static_cast<std::byte*>(memory), [](std::byte* mine) { Kokkos::kokkos_free<Space>(mine); }};
}

}  // namespace halocline
