#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/option.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::deck {

/// Reads the value of an option according to its type. A value of another type adds a mistake about `full_name` and
/// gives std::monostate. The option's validator checks ranges, names and expressions, not this function.
[[nodiscard]] OptionValue read_value(Option const& option, Node const& node, std::string const& full_name,
                                     Mistakes& mistakes);

}  // namespace halocline::deck
