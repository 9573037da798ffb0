#include "drivers/halocline/battery/battery.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

constexpr std::array<Check, 13> every_check{{
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

/// Smooth, of mean 0, periodic in the box of `made_deck`, without symmetries, different for each field.
std::string waves(int dimensions, int field, double amplitude) {
  double const shift = 0.1 + 0.3 * field;
  std::string text = fmt::format("{:g}*sin(2*pi*x + {:.1f})", 0.2 * amplitude, shift);
  if (dimensions > 1) text += fmt::format("*cos(2*pi*y/1.25 - {:.1f}) + {:g}*sin(2*pi*y/1.25)", shift, 0.1 * amplitude);
  if (dimensions > 2) text += fmt::format(" + {:g}*cos(2*pi*(z/0.75 + x) + {:.1f})", 0.15 * amplitude, shift);
  return text;
}
/// The same, but positive.
std::string smooth(int dimensions, int field, double amplitude = 1) {
  return "1 + " + waves(dimensions, field, amplitude);
}

bool is_function(Option const& option) {
  return option.kind() == OptionKind::field || option.kind() == OptionKind::expression;
}

bool has_function(Section const& section, std::string const& name) {
  return std::any_of(section.options().begin(), section.options().end(),
                     [&](Option const& option) { return option.name() == name && is_function(option); });
}

/// Initial values, and the source of a stationary physics, without which its solution is constant: of mean 0, as a
/// periodic box needs it.
std::vector<std::string> functions_of(Section const& section, bool is_stationary, int dimensions, int& field) {
  std::vector<std::string> given;
  if (has_function(section, "initial")) given.push_back("initial: " + smooth(dimensions, field++));
  if (is_stationary && has_function(section, "source")) given.push_back("source: " + waves(dimensions, field++, 1));
  return given;
}

/// The section `initial` of a conservation law, with values for all of its functions that the rest of the deck permits:
/// not those of missing axes, nor substitutes for others. Waves must not steepen on the few cells of several axes.
std::string initial_state(Section const& initial, int dimensions, std::string const& before,
                          std::shared_ptr<deck::ResolvedSection const> const& declaration) {
  constexpr std::array<double, 3> amplitudes{1, 0.5, 0.03};
  auto const is_permitted = [&](std::string const& text) {
    try {
      static_cast<void>(Deck("test deck", text).read(declaration));
      return true;
    } catch (InputError const&) {
      return false;
    }
  };
  std::string own;
  int field = 0;
  for (Option const& option : initial.options()) {
    if (!is_function(option)) continue;
    std::string const values = smooth(dimensions, field, amplitudes[static_cast<std::size_t>(dimensions - 1)]);
    std::string const more =
        fmt::format("{}{}    {}: {}\n", own, own.empty() ? "  initial:\n" : "", option.name(), values);
    if (!is_permitted(before + more)) continue;
    own = more;
    ++field;
  }
  return own;
}

/// A limiter does not reach its order on the few cells of three axes.
bool offers_weno5(Section const& section) {
  return std::any_of(section.options().begin(), section.options().end(), [](Option const& option) {
    if (option.name() != "reconstruction" || option.kind() != OptionKind::choice) return false;
    std::vector<std::string> const names = option.names();
    return std::find(names.begin(), names.end(), "weno5") != names.end();
  });
}

std::string made_deck(PhysicsEntry const& entry, int dimensions,
                      std::shared_ptr<deck::ResolvedSection const> const& declaration) {
  constexpr std::array<char const*, 3> cells{"[64]", "[16, 24]", "[8, 12, 10]"};
  constexpr std::array<char const*, 3> upper{"[1]", "[1, 1.25]", "[1, 1.25, 0.75]"};
  constexpr std::array<char const*, 3> periodic{"[true]", "[true, true]", "[true, true, true]"};
  auto const n = static_cast<std::size_t>(dimensions - 1);
  bool const is_stationary = entry.time_dependence == TimeDependence::stationary;
  std::string const text =
      fmt::format("physics: {}\nmesh: {{cells: {}, upper: {}, periodic: {}}}\ntime: {{step: 1, steps: 1}}\n",
                  entry.name, cells[n], upper[n], periodic[n]);
  std::string own;
  int field = 0;
  for (Section const& section : entry.options.sections()) {
    std::vector<std::string> const given = functions_of(section, is_stationary, dimensions, field);
    if (!given.empty()) own += fmt::format("  {}: {{{}}}\n", section.name(), fmt::join(given, ", "));
  }
  for (std::string const& given : functions_of(entry.options, is_stationary, dimensions, field))
    own += "  " + given + "\n";
  if (dimensions == 3 && offers_weno5(entry.options)) own += "  reconstruction: weno5\n";
  std::string const head = text + entry.name + ":\n";
  for (Section const& section : entry.options.sections()) {
    if (section.name() == "initial") own += initial_state(section, dimensions, head + own, declaration);
  }
  return own.empty() ? text : head + own;
}

}  // namespace

std::span<Check const> checks() { return every_check; }

std::vector<std::string> decks_for(PhysicsEntry const& entry,
                                   std::shared_ptr<deck::ResolvedSection const> const& declaration) {
  if (!entry.promises.decks.empty() || entry.points) return entry.promises.decks;
  std::vector<std::string> decks;
  for (int const dimensions : entry.dimensions) decks.push_back(made_deck(entry, dimensions, declaration));
  return decks;
}

}  // namespace halocline::battery
