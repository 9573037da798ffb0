#pragma once

namespace halocline {

// std::max and std::min return their first argument when a comparison with a NaN fails, and so lose a NaN in the
// second.

/// The larger of two numbers; NaN if either is.
[[nodiscard]] constexpr double larger(double a, double b) { return b > a || b != b ? b : a; }

/// The smaller of two numbers; NaN if either is.
[[nodiscard]] constexpr double smaller(double a, double b) { return b < a || b != b ? b : a; }

}  // namespace halocline
