#pragma once

#include <memory>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/halo/transport_choice.hpp"

namespace halocline {

/// Settings of all exchanges that the process makes from now on.
struct HaloSettings {
  bool overlap = true;  ///< sweeps run while ghosts are in flight
  std::shared_ptr<Transport const> transport = mpi_host_transport();
};
void set_halo_settings(HaloSettings const& settings);
[[nodiscard]] HaloSettings const& halo_settings();

/// Declares the section `halo` of a deck.
[[nodiscard]] Section halo_section();
/// Collective. Applies the deck's section to exchanges on this mesh; the transport is tried, and chosen by measurement
/// if the deck does not name one. Throws InputError when the deck names one that cannot be used.
TransportChoice apply_halo_section(Options const& halo, Mesh const& mesh);

}  // namespace halocline
