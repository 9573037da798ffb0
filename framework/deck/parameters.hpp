#pragma once

#include <Teuchos_ParameterList.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/option.hpp"

namespace halocline::deck {

/// Why a value is not allowed, for the whole of it or for one entry of a vector.
struct Refusal {
  std::optional<std::size_t> entry;
  std::string text;
  std::string advice;
};

using Validator = Teuchos::RCP<Teuchos::ParameterEntryValidator const>;

/// Holds values to the option's range, names or grammar. The names are those of now.
[[nodiscard]] Validator make_validator(Option const& option);

/// Puts a value of the option's type into the list under its validator. Returns why the validator refuses it; then the
/// list is as before.
[[nodiscard]] std::vector<Refusal> hold(Option const& option, Validator const& validator, OptionValue const& value,
                                        Teuchos::ParameterList& parameters);

/// The value that the list holds under this name; std::monostate if there is none.
[[nodiscard]] OptionValue held(std::string const& name, Teuchos::ParameterList const& parameters);

}  // namespace halocline::deck
