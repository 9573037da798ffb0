#pragma once

#include <cstddef>

namespace halocline {

/// How many integrators make_time_integrator has made in this process. A physics that made none as it was created steps
/// by itself, whatever it declares.
[[nodiscard]] std::size_t integrators_made();

}  // namespace halocline
