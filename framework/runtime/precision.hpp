#pragma once

namespace halocline {

/// Floating-point type of fields and vectors, as chosen at run time.
enum class Precision { single, double_ };

}  // namespace halocline
