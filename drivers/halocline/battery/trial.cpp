#include "drivers/halocline/battery/trial.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/result.hpp"
#include "framework/field/field_base.hpp"
#include "framework/io/state_copy.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

template <class Real>
void take_component(FieldBase const& field, int component, Values& to) {
  Mesh const& mesh = field.mesh();
  for (Block const& block : mesh.blocks()) {
    IndexRange const range = mesh.global_owned(block.id, field.centring());
    std::vector<Real> own(static_cast<std::size_t>(range.size()));
    field.copy_owned(block, component, std::as_writable_bytes(std::span(own)));
    std::size_t n = 0;
    for (Index k = range.begin[2]; k < range.end[2]; ++k) {
      for (Index j = range.begin[1]; j < range.end[1]; ++j) {
        for (Index i = range.begin[0]; i < range.end[0]; ++i) {
          to.values[static_cast<std::size_t>(i + to.extents[0] * (j + to.extents[1] * k))] =
              static_cast<double>(own[n++]);
        }
      }
    }
  }
}

std::string path_of(std::string path, Section const& inner) { return std::move(path.append(".").append(inner.name())); }

void add_options(Section const& section, std::string const& path, std::string const& name,
                 std::vector<std::string>& found) {
  for (Option const& option : section.options()) {
    bool const is_function = option.kind() == OptionKind::field || option.kind() == OptionKind::expression;
    if (is_function && option.name() == name) found.push_back(std::string(path).append(".").append(name));
  }
  for (Section const& inner : section.sections()) add_options(inner, path_of(path, inner), name, found);
}

/// Adds the paths of all sections inside `section` that have this name.
void add_sections(Section const& section, std::string const& path, std::string const& name,
                  std::vector<std::string>& found) {
  for (Section const& inner : section.sections()) {
    if (inner.name() == name) found.push_back(std::string(path).append(".").append(name));
    add_sections(inner, path_of(path, inner), name, found);
  }
}

/// This process alone. Solvers may split the communicator, for which MPI must run; starting MPI takes longer than most
/// checks, and it is finalised only at the end of the process.
std::shared_ptr<Communicator> communicator_for(Subject const& subject, bool is_stepped) {
  if (!is_stepped || is_explicit(subject)) return std::make_shared<Communicator>(Communicator::alone());
  static auto const* const environment = new Environment({.kokkos = false});
  static_cast<void>(environment);
  return std::make_shared<Communicator>(MPI_COMM_WORLD);
}

void require_same_shape(std::vector<Values> const& a, std::vector<Values> const& b) {
  bool const same = a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto const& x, auto const& y) {
                      return x.name == y.name && x.extents == y.extents;
                    });
  if (!same) throw Error(ExitCode::unsolved, "two runs have different fields");
}

}  // namespace

Trial::Trial(Subject const& subject, std::vector<std::string> const& changes, bool is_stepped)
    : entry_(subject.entry), deck_(subject.read(changes)) {
  auto const alone = communicator_for(subject, is_stepped);
  PhysicsContext context{deck_, nullptr, nullptr, precision_of(deck_), {}};
  if (entry_.points) {
    context.points = std::make_shared<PointSet const>(entry_.points(deck_), alone);
  } else {
    context.mesh = make_structured_mesh(deck_.section("mesh"), alone);
  }
  physics_ = make_physics(entry_, context);
  time_ = deck_.section("time").real("start");
}

std::optional<double> Trial::stable_step() const {
  double const step = physics_->stable_step();
  if (!(step > 0)) throw Error(ExitCode::unsolved, fmt::format("the longest stable step is {:g}", step));
  return std::isfinite(step) ? std::optional(step) : std::nullopt;
}

std::vector<SolveReport> Trial::take(double size, Index steps) {
  std::vector<SolveReport> all;
  bool const is_stationary = !evolves(entry_, deck_);
  double const begin = time_;
  for (Index n = 0; n < (is_stationary ? 1 : steps); ++n) {
    Step const step{++number_, is_stationary ? time_ : begin + static_cast<double>(n) * size, is_stationary ? 0 : size};
    std::vector<SolveReport> const reports = physics_->advance(step);
    for (SolveReport const& report : reports) {
      if (!reached(report.outcome)) throw SolveError(failed_solve(step, report));
    }
    all.insert(all.end(), reports.begin(), reports.end());
    time_ = step.time + step.size;
  }
  return all;
}

bool Trial::go_on_from(Trial& other) {
  StateCopy copy;
  if (!other.physics_->serialize(copy)) return false;
  CopiedState state(copy);
  static_cast<void>(physics_->serialize(state));
  time_ = other.time_;
  number_ = other.number_;
  return true;
}

std::vector<Values> Trial::state() const {
  std::vector<Values> all;
  for (FieldBase const* const field : physics_->fields()) {
    for (int component = 0; component < field->components(); ++component) {
      Values values{field->components() == 1 ? field->name() : fmt::format("{}[{}]", field->name(), component),
                    field->centring(),
                    field->mesh().extents(field->centring()),
                    {}};
      values.values.resize(static_cast<std::size_t>(values.extents[0] * values.extents[1] * values.extents[2]));
      field->precision() == Precision::single ? take_component<float>(*field, component, values)
                                              : take_component<double>(*field, component, values);
      for (double const value : values.values) {
        if (!std::isfinite(value)) throw NotANumberError("`" + values.name + "` has values that are not finite");
      }
      all.push_back(std::move(values));
    }
  }
  return all;
}

bool is_explicit(Subject const& subject) {
  if (!evolves(subject)) return false;
  if (subject.entry.steps_by_itself) return true;
  IntegratorEntry const* const integrator = integrator_of(subject.entry, subject.read());
  return integrator != nullptr && integrator->treatment == Treatment::explicit_;
}

std::vector<std::string> exact_solves(Subject const& subject) {
  if (subject.entry.steps_by_itself || is_explicit(subject)) return {};
  Options const solver = subject.read().section("solver");
  std::string const method = solver.choice("method");
  Options const chosen = solver.section(method);
  std::vector<std::string> changes;
  if (chosen.declares("relative_tolerance")) changes.push_back("solver." + method + ".relative_tolerance=1e-12");
  if (chosen.declares("iterations")) changes.push_back("solver." + method + ".iterations=100000");
  return changes;
}

std::vector<Index> cells_of(Subject const& subject, double most) {
  std::vector<std::int64_t> const given = subject.read().section("mesh").integers("cells");
  std::vector<Index> cells(given.begin(), given.end());
  while (product_of(cells) > most) {
    for (Index& along : cells) along = std::max<Index>(2, (along + 1) / 2);
    if (std::all_of(cells.begin(), cells.end(), [](Index along) { return along == 2; })) break;
  }
  return cells;
}

std::string cells_change(std::vector<Index> const& cells, Index factor) {
  std::vector<Index> all;
  for (Index const along : cells) all.push_back(factor * along);
  return fmt::format("mesh.cells=[{}]", fmt::join(all, ", "));
}

double product_of(std::vector<Index> const& cells, Index factor) {
  double product = 1;
  for (Index const along : cells) product *= static_cast<double>(factor * along);
  return product;
}

namespace {

/// Whether a deck gives an option, by full name.
bool is_given(Options const& deck, std::string const& name) {
  std::size_t const dot = name.find('.');
  if (dot == std::string::npos) return deck.given(name);
  return deck.given(name.substr(0, dot)) && is_given(deck.section(name.substr(0, dot)), name.substr(dot + 1));
}

}  // namespace

std::vector<std::string> closed_change(Subject const& subject) {
  std::vector<std::string> changes;
  // Only options that the deck gives: a mesh need not have the axes of all fields.
  for (std::string const& source : options_called(subject, "source")) {
    if (is_given(subject.read(), source)) changes.push_back(source + "=0");
  }
  std::vector<std::string> walls;
  add_sections(subject.entry.options, subject.entry.name, "boundary", walls);
  constexpr std::array<std::array<char const*, 2>, 3> sides{{{"west", "east"}, {"south", "north"}, {"bottom", "top"}}};
  Options const mesh = subject.read().section("mesh");
  for (std::size_t axis = 0; axis < mesh.integers("cells").size(); ++axis) {
    bool const is_periodic =
        mesh.has("periodic") && mesh.booleans("periodic").size() > axis && mesh.booleans("periodic")[axis];
    for (std::string const& wall : walls) {
      for (char const* const side : sides[axis]) {
        if (!is_periodic) changes.push_back(fmt::format("{}.{}={{kind: reflecting}}", wall, side));
      }
    }
  }
  return changes;
}

double given_step(Options const& deck) {
  Options const time = deck.section("time");
  return time.has("step") ? time.real("step") : std::numeric_limits<double>::infinity();
}

double span_of(Options const& deck) {
  Options const time = deck.section("time");
  if (time.has("end")) return time.real("end") - time.real("start");
  return static_cast<double>(std::max<std::int64_t>(1, time.integer("steps"))) * given_step(deck);
}

std::vector<std::string> joined(std::vector<std::string> a, std::vector<std::string> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> options_called(Subject const& subject, std::string const& name) {
  std::vector<std::string> found;
  add_options(subject.entry.options, subject.entry.name, name, found);
  return found;
}

double largest_difference(std::vector<Values> const& a, std::vector<Values> const& b) {
  require_same_shape(a, b);
  double all = 0;
  for (std::size_t field = 0; field < a.size(); ++field) {
    double difference = 0;
    double scale = 0;
    for (std::size_t n = 0; n < a[field].values.size(); ++n) {
      difference = std::max(difference, std::abs(a[field].values[n] - b[field].values[n]));
      scale = std::max(scale, std::abs(b[field].values[n]));
    }
    all = std::max(all, scale > 0 ? difference / scale : difference);
  }
  return all;
}

std::string first_difference(std::vector<Values> const& a, std::vector<Values> const& b) {
  require_same_shape(a, b);
  for (std::size_t field = 0; field < a.size(); ++field) {
    Extents const& extents = a[field].extents;
    for (std::size_t n = 0; n < a[field].values.size(); ++n) {
      double const one = a[field].values[n];
      double const other = b[field].values[n];
      if (std::memcmp(&one, &other, sizeof one) == 0) continue;
      auto const at = static_cast<Index>(n);
      return fmt::format("`{}` at ({}, {}, {}) is {:.17g} and {:.17g}", a[field].name, at % extents[0],
                         at / extents[0] % extents[1], at / extents[0] / extents[1], one, other);
    }
  }
  return "";
}

double largest(std::vector<Values> const& state) {
  double most = 0;
  for (Values const& field : state) {
    for (double const value : field.values) most = std::max(most, std::abs(value));
  }
  return most;
}

}  // namespace halocline::battery
