#pragma once

#include <string>

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/schedule.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "drivers/halocline/stops.hpp"
#include "framework/plugin/physics.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/doing.hpp"

namespace halocline {

/// References to what this rank's steps use.
struct RunParts {
  CodeOwner const& owner;  ///< the physics, for messages about a crash in it
  Physics& physics;
  Communicator const& communicator;
  Progress& progress;
  StateGuard& guard;
  Stops const& stops;
  Output& output;
  Checkpoints& checkpoints;
};

/// Collective. The limits of the first step by the present state. Throws InputError if a run cannot begin with it: a
/// deck whose first step is already too long is invalid.
[[nodiscard]] StepLimits first_limits(CodeOwner const& owner, std::string const& name, Physics const& physics,
                                      Schedule const& schedule, Communicator const& communicator);

/// Collective. Takes all steps from the position of `schedule` to the last; `limits` are those of the first one. The
/// last state is written before an error is passed on. \param goes_on the state that is continued from has already been
/// recorded
void run_steps(RunParts const& run, Schedule schedule, StepLimits limits, bool goes_on);

}  // namespace halocline
