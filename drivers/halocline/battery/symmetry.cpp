#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <regex>

#include "drivers/halocline/battery/check.hpp"
#include "drivers/halocline/battery/short_run.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

constexpr Index mirrored_steps = 10;
constexpr double explained = 1e-10;  ///< difference due to another order of summation
constexpr std::array<char, 3> letters{'x', 'y', 'z'};

/// A symmetry transformation of a problem.
struct Map {
  std::function<std::string(std::string const&)> expression;  ///< transforms an expression of x, y and z
  std::function<Extents(Extents const&, Extents const&)>
      from;                                  ///< index before the transformation, in a mesh of the given extents
  std::array<std::size_t, 3> axes{0, 1, 2};  ///< index of axis n before the transformation
  int turned = -1;                           ///< the axis along which vectors change sign
};

/// Transforms every expression that the deck gives in the section of the physics.
void add_mapped(Options const& given, Section const& section, Map const& map, std::vector<std::string>& changes) {
  for (Option const& option : section.options()) {
    if (!given.given(option.name()) && !given.has(option.name())) continue;
    std::string text;
    if (option.kind() == OptionKind::field) text = given.field(option.name()).text();
    if (option.kind() == OptionKind::expression) text = given.expression(option.name()).text();
    if (text.empty()) continue;
    std::string const mapped = map.expression(text);
    if (mapped != text) changes.push_back(fmt::format("{}='{}'", given.full_name(option.name()), mapped));
  }
  for (Section const& inner : section.sections()) add_mapped(given.section(inner.name()), inner, map, changes);
}

/// A component and its name in the transformed problem; null: the same name.
struct Component {
  std::string name;
  double sign = 1;
};
Component component_of(Subject const& subject, std::string const& name, Map const& map) {
  for (auto const& vector : subject.entry.promises.vectors) {
    auto const at = std::find(vector.begin(), vector.end(), name);
    if (at == vector.end()) continue;
    auto const axis = static_cast<std::size_t>(at - vector.begin());
    if (map.axes[axis] >= vector.size()) continue;
    return {vector[map.axes[axis]], static_cast<int>(axis) == map.turned ? -1.0 : 1.0};
  }
  return {name, 1};
}

/// The section and the option of a component's initial value: `u.initial`, or for a law `initial.u`.
struct Start {
  Options section;
  std::string option;
};
std::optional<Start> start_of(Subject const& subject, Options const& own, std::string const& name) {
  for (Section const& section : subject.entry.options.sections()) {
    if (section.name() != name && section.name() != "initial") continue;
    std::string const option = section.name() == name ? "initial" : name;
    if (own.section(section.name()).declares(option)) return Start{own.section(section.name()), option};
  }
  return std::nullopt;
}

/// Runs the deck and the transformed deck; returns the difference between the expected and the computed transformed
/// solution.
double distance(Subject const& subject, Map const& map, std::vector<std::string> const& common,
                std::vector<std::string> const& of_mesh) {
  Options const deck = subject.read(common);
  std::vector<std::string> changes = joined(common, of_mesh);
  add_mapped(deck.section(subject.entry.name), subject.entry.options, map, changes);
  // The initial components of vectors are permuted and change sign, too.
  Options const own = deck.section(subject.entry.name);
  std::size_t const axes = deck.section("mesh").integers("cells").size();
  for (auto const& vector : subject.entry.promises.vectors) {
    for (std::size_t axis = 0; axis < std::min(vector.size(), axes) && vector.size() > 1; ++axis) {
      Component const was = component_of(subject, vector[axis], map);
      std::optional<Start> const to = start_of(subject, own, vector[axis]);
      std::optional<Start> const from = start_of(subject, own, was.name);
      if (!to || !from) continue;
      std::string const text = map.expression(from->section.field(from->option).text());
      changes.push_back(fmt::format("{}='{}({})'", to->section.full_name(to->option), was.sign < 0 ? "-" : "", text));
    }
  }
  auto const before = short_run(subject, common, mirrored_steps)->state();
  auto const after = short_run(subject, changes, mirrored_steps)->state();
  std::vector<Values> expected = after;
  for (Values& field : expected) {
    Component const was = component_of(subject, field.name, map);
    auto const of = std::find_if(before.begin(), before.end(), [&](Values const& v) { return v.name == was.name; });
    if (of == before.end()) throw Error(ExitCode::unsolved, "no field `" + was.name + "`");
    std::size_t n = 0;
    for (Index k = 0; k < field.extents[2]; ++k) {
      for (Index j = 0; j < field.extents[1]; ++j) {
        for (Index i = 0; i < field.extents[0]; ++i) {
          Extents const at = map.from({i, j, k}, field.extents);
          field.values[n++] =
              was.sign *
              of->values[static_cast<std::size_t>(at[0] + of->extents[0] * (at[1] + of->extents[1] * at[2]))];
        }
      }
    }
  }
  return largest_difference(after, expected);
}

/// Changes that remove walls, which a transformation would have to include.
std::vector<std::string> common_changes(Subject const& subject) {
  std::vector<std::string> const changes = joined(exact_solves(subject), {odd_cells(subject)});
  return evolves(subject) ? joined(changes, closed_change(subject)) : changes;
}

}  // namespace

Finding mirror_symmetry(Subject const& subject) {
  if (!subject.entry.promises.mirror_symmetric) return not_applicable("it does not declare this symmetry");
  std::vector<std::string> const common = common_changes(subject);
  Options const mesh = subject.read(common).section("mesh");
  double worst = 0;
  for (std::size_t axis = 0; axis < mesh.integers("cells").size(); ++axis) {
    auto const bound = [&](char const* name, double otherwise) {
      return mesh.has(name) && !mesh.reals(name).empty() ? mesh.reals(name)[std::min(axis, mesh.reals(name).size() - 1)]
                                                         : otherwise;
    };
    double const sum = bound("lower", 0) + bound("upper", 1);
    std::regex const letter(fmt::format(R"(\b{}\b)", letters[axis]));
    Map map;
    map.expression = [&](std::string const& text) {
      return std::regex_replace(text, letter, fmt::format("({:.17g}-{})", sum, letters[axis]));
    };
    map.from = [axis](Extents at, Extents const& all) {
      at[axis] = all[axis] - 1 - at[axis];
      return at;
    };
    map.turned = static_cast<int>(axis);
    worst = std::max(worst, distance(subject, map, common, {}));
  }
  std::string const text = fmt::format("mirrored data: the solution differs by {:.1e}", worst);
  return worst < explained ? held(text) : failed(text);
}

Finding axes_alike(Subject const& subject) {
  if (!subject.entry.promises.axes_alike) return not_applicable("it does not declare this symmetry");
  std::vector<std::string> const common = common_changes(subject);
  Options const mesh = subject.read(common).section("mesh");
  std::size_t const dimensions = mesh.integers("cells").size();
  if (dimensions < 2) return not_applicable("the mesh has one axis");
  double worst = 0;
  auto const closes = [&](std::size_t axis) {
    return mesh.booleans("periodic").size() > axis && mesh.booleans("periodic")[axis];
  };
  int pairs = 0;
  for (std::size_t other = 1; other < dimensions; ++other) {
    // Walls are not exchanged.
    if (mesh.has("periodic") && closes(0) != closes(other)) continue;
    ++pairs;
    std::vector<std::string> of_mesh;
    auto cells = mesh.integers("cells");
    std::swap(cells[0], cells[other]);
    of_mesh.push_back(cells_change({cells.begin(), cells.end()}));
    for (char const* const name : {"lower", "upper"}) {
      if (!mesh.has(name) || mesh.reals(name).size() < 2) continue;
      auto values = mesh.reals(name);
      std::swap(values[0], values[other]);
      std::string text;
      for (double const value : values) text += fmt::format("{}{:.17g}", text.empty() ? "" : ", ", value);
      of_mesh.push_back(fmt::format("mesh.{}=[{}]", name, text));
    }
    Map map;
    map.expression = [&](std::string const& text) {
      std::regex const first(R"(\bx\b)");
      std::regex const second(fmt::format(R"(\b{}\b)", letters[other]));
      std::string const held_back = std::regex_replace(text, first, "XFIRST");
      return std::regex_replace(std::regex_replace(held_back, second, "x"), std::regex("XFIRST"),
                                std::string(1, letters[other]));
    };
    map.from = [other](Extents at, Extents const&) {
      std::swap(at[0], at[other]);
      return at;
    };
    std::swap(map.axes[0], map.axes[other]);
    worst = std::max(worst, distance(subject, map, common, of_mesh));
  }
  if (pairs == 0) return not_applicable("x is periodic and no other axis is, or the reverse");
  std::string const text = fmt::format("permuted axes: the solution differs by {:.1e}", worst);
  return worst < explained ? held(text) : failed(text);
}

}  // namespace halocline::battery
