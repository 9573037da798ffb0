#pragma once

#include <Teuchos_ParameterList.hpp>

#include "framework/deck/options.hpp"

namespace halocline {

/// The values of one section of a validated deck, including defaults, for packages such as Trilinos. No header of
/// Halocline includes this one; a program that does must link Teuchos::teuchos, which find_package(Halocline) provides.
///
/// - integer: int, as in parameters of Trilinos; long long if its value does not fit
/// - real: double
/// - boolean: bool
/// - text, path, choice, expression, field given by an expression: std::string
/// - integers: Teuchos::Array of int, or of long long if one does not fit
/// - reals, texts: Teuchos::Array of double, of std::string
/// - booleans: Teuchos::Array of int (0, 1)
/// - section, field given by a file: sublist
/// - list of sections: sublist of sublists "0", "1", …, in the order of the deck
///
/// Options without a value are absent. The documentation of each parameter is its option's sentence; parameters that
/// the deck does not give are marked as defaults. The list is a copy without validators: its owner may change it.
[[nodiscard]] Teuchos::ParameterList parameter_list(Options const& options);

}  // namespace halocline
