#pragma once

#include <string>

#include "framework/deck/options.hpp"

namespace halocline {

/// Warns of each nonzero number in a physics' section of a validated deck that becomes zero or loses digits in single
/// precision.
void warn_of_underflow(Options const& deck, std::string const& physics);

}  // namespace halocline
