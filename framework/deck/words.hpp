#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/deck/option.hpp"

namespace halocline::deck {

/// What a value of an option must be: "an integer", "one of cg, jacobi", "1 to 3 numbers" (for a vector).
[[nodiscard]] std::string expected(Option const& option);

/// The same for one entry of a vector (equal to `expected` for an option that is not a vector).
[[nodiscard]] std::string expected_entry(Option const& option);

/// "at least 1 and below 10 s"; empty if every number is allowed.
[[nodiscard]] std::string allowed_range(Option const& option);

/// All of that, and the default: "an integer, at least 1; default 1000".
[[nodiscard]] std::string described(Option const& option);

/// A value as written in a deck: "1e-10", "[10, 10]".
[[nodiscard]] std::string written(OptionValue const& value);

/// "solver.cg" from "solver" and "cg"; the name alone if the section is the root.
[[nodiscard]] std::string joined_name(std::string const& section, std::string_view name);

[[nodiscard]] std::string joined(std::vector<std::string> const& words, std::string const& between = ", ");

}  // namespace halocline::deck
