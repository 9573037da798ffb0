#pragma once

#include "framework/deck/section.hpp"

namespace halocline {

class Mistakes;
class Options;

/// The section `time` of a deck: which integrator, how long a step, and when the run ends.
[[nodiscard]] Section time_section();
/// Adds a mistake for what an evolving physics misses in a `time` section: a step, or what part of the longest stable
/// one it is, and when to end; and for a step so short that its steps cannot be counted.
///
/// \param suggests_steps whether the physics does, so that the deck needs to give none
void judge_time(Options const& time, Mistakes& mistakes, bool suggests_steps = false);

}  // namespace halocline
