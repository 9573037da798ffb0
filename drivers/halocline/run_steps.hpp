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

/// What this rank's steps work with.
struct RunParts {
  CodeOwner const& owner;  ///< of the physics, as a crash in it names it
  Physics& physics;
  Communicator const& communicator;
  Progress& progress;
  StateGuard& guard;
  Stops const& stops;
  Output& output;
  Checkpoints& checkpoints;
};

/// Collective. What the present state says of the first step. Throws InputError where a run cannot begin with it: a
/// deck whose first step is too long already is wrong.
[[nodiscard]] StepLimits first_limits(CodeOwner const& owner, std::string const& name, Physics const& physics,
                                      Schedule const& schedule, Communicator const& communicator);

/// Collective. Takes all steps from where `schedule` stands, the first as `limits` choose it, to the last; the state
/// that the run ends with is written before an error goes on. \param goes_on from a state that is on record
void run_steps(RunParts const& run, Schedule schedule, StepLimits limits, bool goes_on);

}  // namespace halocline
