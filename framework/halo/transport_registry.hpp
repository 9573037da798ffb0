#pragma once

#include "framework/halo/transport.hpp"

namespace halocline {

/// Adds one to `known_transports`, for decks to choose by name and `auto` to measure. From a file of its own:
///
///     bool const registered = (add_transport({.name = "pigeons", …}), true);
///
/// Throws InputError when the name is taken.
void add_transport(TransportEntry entry);

}  // namespace halocline
