#pragma once

#include <string>

#include "framework/deck/options.hpp"

namespace halocline {

/// Warns of each number in a physics' section of a judged deck that is not zero, and becomes zero, or loses digits, in
/// single precision.
void warn_of_underflow(Options const& deck, std::string const& physics);

}  // namespace halocline
