#pragma once

#include <optional>
#include <string>

#include "drivers/halocline/memory_forecast.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// What came of a rehearsal.
struct Rehearsal {
  std::optional<MemoryForecast> forecast = {};
  std::string failure = {};  ///< what the physics threw on a small mesh, its first line; empty: nothing
};

/// Rehearses the run of a deck: a process of its own makes the physics on a few small meshes, steps, and counts. It
/// says nothing, leaves nothing behind and does not change this one, which it may even crash without. Kokkos must not
/// have started; where MPI has, its processes are left alone. No forecast where the deck has mistakes, its physics
/// lives on points, a rehearsal does not come to its end in time, or the mesh is so small that it fits in any case.
///
/// \param free bytes that there are in any case; 0: to be foretold for small meshes as well
[[nodiscard]] Rehearsal rehearse(Deck const& deck, Registry<PhysicsEntry> const& physics, double free = 0);

/// What the initial state of a judged deck says of the first step of its run: likewise, but on the mesh of the deck.
/// Nothing where u does not evolve, the physics lives on points, the mesh has more than a million cells, or the set-up
/// does not come to its end in time. Throws InputError where the physics finds the deck wrong.
[[nodiscard]] std::optional<StepLimits> limits_at_start(Deck const& deck, Registry<PhysicsEntry> const& physics);

}  // namespace halocline
