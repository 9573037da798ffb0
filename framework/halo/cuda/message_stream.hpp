#pragma once

#include "framework/runtime/cuda_stream.hpp"

namespace halocline::cuda {

/// The stream for messages beside those for sweeps, and ahead of them where both want the device. One for a process.
[[nodiscard]] StreamBeside const& message_stream();

}  // namespace halocline::cuda
