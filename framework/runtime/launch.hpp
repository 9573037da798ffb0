#pragma once

#include <Kokkos_Core.hpp>

namespace halocline {

/// A loop whose functor goes with the launch itself. Larger ones would by default pass through a buffer that the host
/// waits for before each launch, and that a replay would not fill again.
template <class Policy>
[[nodiscard]] auto launched_at_once(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace halocline
