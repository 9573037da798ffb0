#pragma once

#include <Kokkos_Core.hpp>

#include "bench/reduction_bodies.hpp"

namespace halocline::reduce::cuda {

/// Sums by the bodies that are not ours. Throws DefectError for negative numbers.
template <class Real>
[[nodiscard]] std::unique_ptr<Summation<Real>> make_summation(Kokkos::Cuda const& execution, Body body,
                                                              Segments const& segments);

}  // namespace halocline::reduce::cuda
