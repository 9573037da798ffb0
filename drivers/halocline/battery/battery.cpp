#include "drivers/halocline/battery/battery.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace halocline::battery {
namespace {

constexpr std::array<Check, 13> all{{
    {"order in space", "errors, or differences of meshes, shrink as promised", order_in_space},
    {"order in time", "differences of steps shrink as the integrator promises", order_in_time},
    {"conservation", "what is declared conserved drifts by rounding alone", conservation},
    {"mirror", "mirrored data have the mirrored solution", mirror_symmetry},
    {"axes", "data whose axes change places have the solution whose axes do", axes_alike},
    {"blocks", "a rank's share may be cut into several blocks", blocks},
    {"precision", "single differs from double by rounding", precisions},
    {"ghosts", "ghosts that nobody has filled come into no number", ghosts},
    {"stable step", "many steps just below the longest stable one stay bounded", stable_step},
    {"options", "wrong values are refused, and nothing is written", options},
    {"restart", "a run that goes on from a checkpoint has the bits of one that was not stopped", restart},
    {"ranks", "the solution does not depend on the number of ranks", ranks},
    {"builds", "another build, for another backend, has the same solution", builds},
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
