#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"
#include "framework/runtime/launch.hpp"

namespace halocline {

/// Indices of a launch on a device. Kokkos before 4.6 counts the threads of a launch in 32 bits: a launch of 2^32
/// indices never ends, and one of more visits most of them several times.
inline constexpr Index most_indices_of_a_launch = Index{1} << 30U;

/// Enqueues `functor(n)` for each n in [0, count), in any order. On a host each thread gets a contiguous share, the
/// same in every call.
template <class Functor>
void for_each_index(std::string const& name, Execution const& execution, Index count, Functor const& functor,
                    Index most = most_indices_of_a_launch) {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<Index>>;
  Index const piece = memory_on_host ? std::max<Index>(count, 1) : most;
  for (Index begin = 0; begin < count; begin += piece) {
    Index const end = std::min(begin + piece, count);
    Kokkos::parallel_for(name, launched_at_once(Policy(execution, begin, end)), functor);
  }
}

}  // namespace halocline
