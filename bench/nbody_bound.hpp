#pragma once

namespace halocline::benchmarking {

/// Interactions of bodies per second that the arithmetic units of all cores or multiprocessors can issue. On hosts
/// measured, with the instructions of an interaction and no memory access. On NVIDIA GPUs computed from the
/// instructions and `clock`, in hertz. 0 if unknown.
template <class Real>
[[nodiscard]] double most_interactions_per_second(double clock);

}  // namespace halocline::benchmarking
