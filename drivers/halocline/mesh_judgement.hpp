#pragma once

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Adds a mistake if the mesh of a deck has another number of axes than the physics is written for, or another kind.
void judge_mesh(PhysicsEntry const& entry, Options const& deck, Mistakes& mistakes);

/// Adds a mistake, with the number of ranks that would do, if a block has fewer layers of cells than the physics'
/// ghosts of its neighbour take from it. Silent where the mesh cannot be cut into so many blocks at all.
void judge_blocks(PhysicsEntry const& entry, Options const& deck, int ranks, Mistakes& mistakes);

}  // namespace halocline
