#pragma once

namespace halocline::benchmarking {

/// Interactions of bodies in a second that the arithmetic units of all cores or multiprocessors can issue. On hosts
/// measured, by the instructions of an interaction without any memory. On NVIDIA GPUs from the instructions and
/// `clock`, in hertz. 0 where it is not known.
template <class Real>
[[nodiscard]] double most_interactions_per_second(double clock);

}  // namespace halocline::benchmarking
