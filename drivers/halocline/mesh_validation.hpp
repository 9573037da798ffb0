#pragma once

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Adds a mistake if the mesh of a deck has a number of axes or a kind that the physics does not support.
void validate_mesh(PhysicsEntry const& entry, Options const& deck, Mistakes& mistakes);

/// Adds a mistake, with a suitable number of ranks, if a block has fewer layers of cells than the ghosts of its
/// neighbour copy from it. Does nothing if the mesh cannot be partitioned into this many blocks at all.
void validate_blocks(PhysicsEntry const& entry, Options const& deck, int ranks, Mistakes& mistakes);

}  // namespace halocline
