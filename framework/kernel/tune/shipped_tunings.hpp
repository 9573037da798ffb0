#pragma once

#include <string>

namespace halocline::kernel {

/// The text of framework/kernel/tune/tunings.json: tunings found on the devices that Halocline is measured on. Plugins
/// bring those of their own functors (tuner::bring).
[[nodiscard]] std::string shipped_tunings();

}  // namespace halocline::kernel
