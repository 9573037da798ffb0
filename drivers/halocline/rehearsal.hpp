#pragma once

#include <optional>

#include "drivers/halocline/memory_forecast.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// Rehearses the run of a deck: a process of its own makes the physics on a few small meshes, steps, and counts. It
/// says nothing, leaves nothing behind and does not change this one, which it may even crash without. Kokkos must not
/// have started; where MPI has, its processes are left alone. Nothing where the deck has mistakes, its physics lives on
/// points, a rehearsal does not come to its end in time, or the mesh is so small that it fits in any case.
///
/// \param free bytes that there are in any case; 0: to be foretold for small meshes as well
[[nodiscard]] std::optional<MemoryForecast> rehearse(Deck const& deck, Registry<PhysicsEntry> const& physics,
                                                     double free = 0);

}  // namespace halocline
