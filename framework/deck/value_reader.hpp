#pragma once

#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/option.hpp"
#include "framework/deck/tree.hpp"

namespace halocline::deck {

/// The value of one option as its type says. What is of another type is a mistake about `full_name`, and no value
/// (std::monostate). Ranges, names and expressions are judged by the option's validator, not here.
[[nodiscard]] OptionValue read_value(Option const& option, Node const& node, std::string const& full_name,
                                     Mistakes& mistakes);

}  // namespace halocline::deck
