#pragma once

#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// Copies between two devices by both paths, in one direction and in both at once; with one device, within it. In one
/// direction also as textbooks write them, by the runtime and by the driver. Only on NVIDIA's GPUs. `Options::size` is
/// the number of bytes.
[[nodiscard]] std::vector<Row> peer_copy(Options const& options);

}  // namespace halocline::benchmarking
