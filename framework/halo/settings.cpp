#include "framework/halo/settings.hpp"

namespace halocline {

namespace {

HaloSettings& current() {
  static HaloSettings settings;
  return settings;
}

}  // namespace

void set_halo_settings(HaloSettings const& settings) { current() = settings; }
HaloSettings const& halo_settings() { return current(); }

Section halo_section() {
  Section halo("halo", "How blocks get the values next to them from other ranks. No value depends on it.");
  halo.boolean("overlap", "Sweeps go on while values are on their way; false: they wait, to see what that is worth.")
      .defaults_to(true);
  return halo;
}

HaloSettings read_halo_settings(Options const& halo) { return {.overlap = halo.boolean("overlap")}; }

}  // namespace halocline
