#pragma once

#include <Kokkos_Core.hpp>

#include "bench/reduction_bodies.hpp"

namespace halocline::reduce::cuda {

/// Sums by bodies other than the framework's. Throws DefectError for negative numbers.
template <class Real>
[[nodiscard]] std::unique_ptr<Summation<Real>> make_summation(Kokkos::Cuda const& execution, Body body,
                                                              Segments const& segments);

/// Resident blocks of a cooperative sum per multiprocessor.
[[nodiscard]] int most_cooperative_blocks();
/// The sum of `count` values in one cooperative launch with this many blocks per multiprocessor.
[[nodiscard]] std::unique_ptr<Summation<float>> make_cooperative_summation(Kokkos::Cuda const& execution, Index count,
                                                                           int blocks);
/// Enqueues a launch of the same blocks with as many grid-wide barriers and nothing else.
void enqueue_without_sum(Kokkos::Cuda const& execution, Index count, int blocks);

}  // namespace halocline::reduce::cuda
