#pragma once

#include <Kokkos_Core.hpp>

#include "bench/reduction_bodies.hpp"

namespace halocline::reduce::cuda {

/// Sums by the bodies that are not ours. Throws DefectError for negative numbers.
template <class Real>
[[nodiscard]] std::unique_ptr<Summation<Real>> make_summation(Kokkos::Cuda const& execution, Body body,
                                                              Segments const& segments);

/// Blocks of a cooperative sum that a multiprocessor holds at a time.
[[nodiscard]] int most_cooperative_blocks();
/// The sum of `count` values in one cooperative launch of so many blocks a multiprocessor.
[[nodiscard]] std::unique_ptr<Summation<float>> make_cooperative_summation(Kokkos::Cuda const& execution, Index count,
                                                                           int blocks);
/// Enqueues a launch of the same blocks that meet at as many barriers and do nothing else.
void enqueue_without_sum(Kokkos::Cuda const& execution, Index count, int blocks);

}  // namespace halocline::reduce::cuda
