#pragma once

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"

namespace halocline {

/// What holds for all exchanges of a process that are made from then on.
struct HaloSettings {
  bool overlap = true;  ///< sweeps go on while ghosts are on their way
};
void set_halo_settings(HaloSettings const& settings);
[[nodiscard]] HaloSettings const& halo_settings();

/// Declares the section `halo` of a deck.
[[nodiscard]] Section halo_section();
[[nodiscard]] HaloSettings read_halo_settings(Options const& halo);

}  // namespace halocline
