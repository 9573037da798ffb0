#pragma once

#include "framework/deck/section.hpp"

namespace halocline {

class Mistakes;
class Options;

/// The section `time` of a deck: the integrator, the step length, and the end of the run.
[[nodiscard]] Section time_section();
/// Adds a mistake if a `time` section lacks what an evolving physics needs (a step, or its fraction of the longest
/// stable one, and the end), and if the step is so short that steps cannot be counted.
///
/// \param suggests_steps whether the physics suggests steps, so that the deck need not give any
/// \param takes_courant  whether a fraction of the longest stable step can replace the step
void validate_time(Options const& time, Mistakes& mistakes, bool suggests_steps = false, bool takes_courant = true);

}  // namespace halocline
