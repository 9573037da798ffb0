#pragma once

#include <Teuchos_ParameterList.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/option.hpp"

namespace halocline::deck {

/// Why a value, or one entry of a vector, is not allowed.
struct Refusal {
  std::optional<std::size_t> entry;
  std::string text;
  std::string advice;
};

using Validator = Teuchos::RCP<Teuchos::ParameterEntryValidator const>;

/// Checks values against the option's range, names or grammar. The names are those at the time of this call.
[[nodiscard]] Validator make_validator(Option const& option);

/// Stores a value of the option's type in the list under its validator. If the validator refuses it, returns the
/// reasons and leaves the list unchanged.
[[nodiscard]] std::vector<Refusal> hold(Option const& option, Validator const& validator, OptionValue const& value,
                                        Teuchos::ParameterList& parameters);

/// The value stored in the list under this name; std::monostate if there is none.
[[nodiscard]] OptionValue held(std::string const& name, Teuchos::ParameterList const& parameters);

}  // namespace halocline::deck
