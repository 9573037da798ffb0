#pragma once

#include <string>

#include "framework/runtime/launcher.hpp"

namespace halocline {

/// `--output` with names in braces replaced: {deck}, the name of the deck without its extension, {job} and {task}, the
/// number of a batch job and its index in an array. `{{` and `}}` are literal braces. Throws InputError for another
/// name, and for a number that no batch system has set.
[[nodiscard]] std::string output_of(std::string const& pattern, std::string const& deck,
                                    Variables const& variables = variable_of_environment);

}  // namespace halocline
