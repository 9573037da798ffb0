#include "drivers/halocline/battery/battery.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace halocline::battery {
namespace {

constexpr std::array<Check, 13> all{{
    {"order in space", "errors, or differences between meshes, shrink at the declared order", order_in_space},
    {"order in time", "differences between step sizes shrink at the integrator's order", order_in_time},
    {"conservation", "conserved quantities drift only by rounding and solver errors", conservation},
    {"mirror", "mirroring the data mirrors the solution", mirror_symmetry},
    {"axes", "permuting the axes permutes the solution", axes_alike},
    {"blocks", "the solution does not depend on the number of blocks", blocks},
    {"precision", "single precision differs from double only by rounding", precisions},
    {"ghosts", "unfilled ghosts do not affect results", ghosts},
    {"stable step", "many steps just below the stability limit stay bounded", stable_step},
    {"options", "wrong values are refused, and nothing is written", options},
    {"restart", "a restarted run is bitwise equal to an uninterrupted one", restart},
    {"ranks", "the solution does not depend on the number of ranks", ranks},
    {"builds", "another build, for another backend, gives the same solution", builds},
}};

/// Smooth, periodic in the box of `made_deck`, without symmetries, different for each field.
std::string smooth(int dimensions, int field) {
  double const shift = 0.1 + 0.3 * field;
  std::string text = fmt::format("1 + 0.2*sin(2*pi*x + {:.1f})", shift);
  if (dimensions > 1) text += fmt::format("*cos(2*pi*y/1.25 - {:.1f}) + 0.1*sin(2*pi*y/1.25)", shift);
  if (dimensions > 2) text += fmt::format(" + 0.15*cos(2*pi*(z/0.75 + x) + {:.1f})", shift);
  return text;
}

std::string made_deck(PhysicsEntry const& entry, int dimensions) {
  constexpr std::array<char const*, 3> cells{"[64]", "[16, 24]", "[8, 12, 10]"};
  constexpr std::array<char const*, 3> upper{"[1]", "[1, 1.25]", "[1, 1.25, 0.75]"};
  constexpr std::array<char const*, 3> periodic{"[true]", "[true, true]", "[true, true, true]"};
  auto const n = static_cast<std::size_t>(dimensions - 1);
  std::string text =
      fmt::format("physics: {}\nmesh: {{cells: {}, upper: {}, periodic: {}}}\ntime: {{step: 1, steps: 1}}\n",
                  entry.name, cells[n], upper[n], periodic[n]);
  std::string own;
  int field = 0;
  for (Section const& section : entry.options.sections()) {
    bool const has_initial = std::any_of(section.options().begin(), section.options().end(), [](Option const& option) {
      return option.name() == "initial" &&
             (option.kind() == OptionKind::field || option.kind() == OptionKind::expression);
    });
    if (has_initial) own += fmt::format("  {}: {{initial: {}}}\n", section.name(), smooth(dimensions, field++));
  }
  for (Option const& option : entry.options.options()) {
    if (option.name() == "initial") own += fmt::format("  initial: {}\n", smooth(dimensions, field++));
  }
  return own.empty() ? text : text + entry.name + ":\n" + own;
}

}  // namespace

std::span<Check const> checks() { return all; }

std::vector<std::string> decks_for(PhysicsEntry const& entry) {
  if (!entry.promises.decks.empty() || entry.points) return entry.promises.decks;
  std::vector<std::string> decks;
  for (int const dimensions : entry.dimensions) decks.push_back(made_deck(entry, dimensions));
  return decks;
}

}  // namespace halocline::battery
