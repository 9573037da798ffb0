#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/halocline/memory_forecast.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// The result of a rehearsal.
struct Rehearsal {
  std::optional<MemoryForecast> forecast = {};
  std::string failure = {};  ///< first line of what the physics threw on a small mesh; empty: nothing
};

/// Rehearses the run of a deck: a separate process makes the physics on a few small meshes, takes steps, and counts
/// memory. It prints nothing, leaves no files and does not affect this process, even if it crashes. Kokkos must not
/// have started; running MPI is not used. There is no forecast if the deck has mistakes, its physics is on points, the
/// rehearsal does not end in time, or the mesh is so small that it certainly fits.
///
/// \param free bytes that are certainly available; 0: small meshes are rehearsed as well
[[nodiscard]] Rehearsal rehearse(Deck const& deck, Registry<PhysicsEntry> const& physics, double free = 0);

/// Meshes with more cells are too large to be set up by `limits_at_start`.
inline constexpr std::int64_t most_cells_for_limits = 1 << 20;

/// The limits of a run's first step by the initial state of a validated deck: as above, but on the mesh of the deck.
/// Empty if nothing evolves, the physics is on points, the mesh has more than `most_cells_for_limits`, or the set-up
/// does not end in time. Throws InputError if the physics rejects the deck.
[[nodiscard]] std::optional<StepLimits> limits_at_start(Deck const& deck, Registry<PhysicsEntry> const& physics);

}  // namespace halocline
