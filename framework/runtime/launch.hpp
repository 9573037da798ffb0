#pragma once

#include <Kokkos_Core.hpp>

namespace halocline {

/// A policy that passes the functor as a kernel argument. By default Kokkos copies larger functors through a buffer for
/// which the host waits before each launch, and which a graph replay does not refill.
template <class Policy>
[[nodiscard]] auto launched_at_once(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace halocline
