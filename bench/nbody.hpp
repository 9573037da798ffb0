#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Mutual attractions of bodies, by every form and precision, with the bound set by the instructions of an interaction,
/// and their potentials.
[[nodiscard]] std::vector<Row> nbody(Options const& options);

/// Mutual attractions of bodies in host memory by one device to all, driven by one thread: with the allocation of their
/// memory and without, copies included. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> nbody_devices(Options const& options);

}  // namespace halocline::benchmarking
