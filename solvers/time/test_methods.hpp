#pragma once

#include <string>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/time/time_integrator.hpp"
#include "solvers/time/time_section.hpp"

namespace halocline {

/// The mistakes of a deck with this method for a physics with these parts; empty if there are none.
inline std::string mistakes_of_method(std::string const& method, RateParts const& parts) {
  Section root("", "A deck.");
  root.section(time_section());
  root.check(
      [&](Options const& deck, Mistakes& mistakes) { validate_integrator(deck.section("time"), parts, mistakes); });
  try {
    static_cast<void>(Deck("deck", "time: {method: " + method + "}").read(root));
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

}  // namespace halocline
