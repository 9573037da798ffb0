#pragma once

#include <string>

namespace halocline::kernel {

/// The text of framework/kernel/tune/tunings.json: tunings measured on the devices that Halocline is benchmarked on.
/// Plugins add those of their own functors (tuner::bring).
[[nodiscard]] std::string shipped_tunings();

}  // namespace halocline::kernel
