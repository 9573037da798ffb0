#pragma once

#include <string>

#include "framework/runtime/launcher.hpp"

namespace halocline {

/// `--output` with what stands in braces put in: {deck}, the name of the deck without its ending, {job} and {task}, the
/// numbers that a batch system gives to a job and to its place in an array. `{{` and `}}` are braces. Throws InputError
/// for another name, and for a number that no batch system has given.
[[nodiscard]] std::string output_of(std::string const& pattern, std::string const& deck,
                                    Variables const& variables = variable_of_environment);

}  // namespace halocline
