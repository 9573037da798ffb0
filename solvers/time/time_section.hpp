#pragma once

#include "framework/deck/section.hpp"

namespace halocline {

class Mistakes;
class Options;

/// The section `time` of a deck: which integrator, how long a step, and when the run ends.
[[nodiscard]] Section time_section();
/// Adds a mistake for what an evolving physics misses in a `time` section: a step, and when to end; and for a step so
/// short that its steps cannot be counted.
void judge_time(Options const& time, Mistakes& mistakes);

}  // namespace halocline
