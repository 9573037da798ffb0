#include "drivers/halocline/device_validation.hpp"

#include <fmt/core.h>

#include <string>
#include <variant>

#include "framework/deck/validation.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

constexpr char const* name = "devices";

/// For the rank with the most devices; empty if this depends on the machine.
std::optional<int> devices_of_a_rank(DeviceChoice const& choice, MemoryBudget const& budget) {
  if (budget.devices) return budget.devices;
  std::optional<int> const chosen = choice.size();
  return chosen ? std::optional((*chosen + budget.local - 1) / budget.local) : std::nullopt;
}

}  // namespace

void declare_devices(Section& deck) {
  deck.text(name,
            "Devices of each host that a run may use: `all`, the first n (`2`), or a list of device numbers (`[0, "
            "1]`), in which a number may be repeated. They are divided among the ranks of the host. By default each "
            "rank uses one device; only a physics of bodies (nbody) can use several devices per rank.")
      .or_list()
      .optional();
}

std::vector<Override> overrides_of(std::vector<std::string> const& set, std::string const& devices) {
  std::vector<Override> all = overrides_by_set(set);
  if (!devices.empty()) all.push_back({std::string(name) + "=" + devices, "--devices " + deck::printable(devices)});
  return all;
}

std::optional<DeviceChoice> device_choice(Deck const& deck) {
  Section declaration("", "");
  declare_devices(declaration);
  OptionValue const value = deck.unvalidated(declaration.options().front());
  auto const* const text = std::get_if<std::string>(&value);
  // In a build without devices, validation reports the option.
  if (text == nullptr || !uses_device_memory()) return std::nullopt;
  try {
    return read_device_choice(*text);
  } catch (InputError const&) {
    return std::nullopt;
  }
}

void validate_devices(PhysicsEntry const& entry, Options const& deck, MemoryBudget const& budget, Mistakes& mistakes) {
  if (!deck.has(name)) return;
  try {
    DeviceChoice const choice = read_device_choice(deck.text(name));
    if (!uses_device_memory()) {
      add_mistake(deck, name, fmt::format("this build ({}) computes on the processor and has no devices", backend_name),
                  mistakes, "leave it out, or use a build for GPUs");
      return;
    }
    int const devices = devices_of_a_rank(choice, budget).value_or(1);
    if (entry.points || devices == 1) return;
    add_mistake(deck, name,
                fmt::format("{} devices for a rank, but {} computes on a mesh, where a rank uses one device", devices,
                            entry.name),
                mistakes, fmt::format("start {} times as many ranks (--ranks), or choose fewer devices", devices));
  } catch (InputError const& error) {
    add_mistake(deck, name, error.what(), mistakes);
  }
}

}  // namespace halocline
