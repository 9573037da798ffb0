#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "framework/mesh/execution.hpp"
#include "framework/runtime/index.hpp"

namespace halocline::nbody {

/// Room for `count` values on the device of a block, which may become the current one. Not initialised.
template <class Value>
[[nodiscard]] Kokkos::View<Value*, Memory> memory_on(Block const& block, Index count) {
  return Kokkos::View<Value*, Memory>(Kokkos::view_alloc(execution(block), Kokkos::WithoutInitializing, "bodies"),
                                      static_cast<std::size_t>(count));
}

}  // namespace halocline::nbody
