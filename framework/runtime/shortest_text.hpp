#pragma once

#include <string>

namespace halocline {

/// A number in the fewest digits that read back as the same number; also "nan", "inf" and "-inf".
[[nodiscard]] std::string shortest_text(double value);

}  // namespace halocline
