#pragma once

#include <memory>
#include <string>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline::transport {

/// Adds a mistake for what a steady problem does not have: times, records of steps, and a solution that is determined
/// only up to a constant.
///
/// \param own the section of a physics with one field, whose options are in it
void validate_steady(Options const& own, Options const& mesh, Mistakes& mistakes);

/// v . grad u - div(k grad u) + c u = source, on cells: the state that a flow does not change. One linear solve.
///
/// \param physics its name, which is that of its section
/// \param field   the name of u
[[nodiscard]] std::unique_ptr<Physics> make_steady(PhysicsContext const& context, std::string const& physics,
                                                   std::string const& field);

}  // namespace halocline::transport
