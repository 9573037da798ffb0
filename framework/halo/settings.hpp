#pragma once

#include <memory>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/halo/transport_choice.hpp"

namespace halocline {

/// What holds for all exchanges of a process that are made from then on.
struct HaloSettings {
  bool overlap = true;  ///< sweeps go on while ghosts are on their way
  std::shared_ptr<Transport const> transport = mpi_host_transport();
};
void set_halo_settings(HaloSettings const& settings);
[[nodiscard]] HaloSettings const& halo_settings();

/// Declares the section `halo` of a deck.
[[nodiscard]] Section halo_section();
/// Collective. Takes over what a deck says, for exchanges on this mesh; the transport is tried, and measured where the
/// deck leaves it open. Throws InputError when the deck names one that cannot be used.
TransportChoice apply_halo_section(Options const& halo, Mesh const& mesh);

}  // namespace halocline
