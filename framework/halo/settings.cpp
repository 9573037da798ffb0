#include "framework/halo/settings.hpp"

#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/halo/transport.hpp"
#include "framework/runtime/error.hpp"

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
  Section halo("halo", "Halo exchange: how blocks receive ghost values from other ranks. Results do not depend on it.");
  std::string sentence =
      "Transport of the ghost values. auto: the fastest of the following, measured at the start of the run";
  std::vector<std::string> names{"auto"};
  for (TransportEntry const& transport : known_transports()) {
    sentence += "; " + transport.name + ": " + transport.sentence;
    names.push_back(transport.name);
  }
  sentence += ". Which of these are available is determined at the start of a run, not by `check`.";
  halo.choice("transport", sentence, names).defaults_to(std::string("auto"));
  halo.boolean("overlap",
               "Whether sweeps overlap with the exchange; false: they wait for it, so that the gain can be measured.")
      .defaults_to(true);
  return halo;
}

TransportChoice apply_halo_section(Options const& halo, Mesh const& mesh) {
  std::string const wanted = halo.choice("transport");
  try {
    TransportChoice choice = choose_transport(wanted, mesh);
    set_halo_settings({.overlap = halo.boolean("overlap"), .transport = choice.transport});
    return choice;
  } catch (InputError const& error) {
    Mistakes mistakes;
    add_mistake(halo, "transport", error.what(), mistakes, "`auto` chooses one that can");
    mistakes.report();
    throw;
  }
}

}  // namespace halocline
