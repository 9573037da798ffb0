#include "drivers/halocline/state_guard.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "framework/field/bad_value.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

template <class Range, class Text>
std::string listed(Range const& range, Text const& text) {
  std::string all;
  for (auto const& one : range) all += (all.empty() ? "" : ", ") + text(one);
  return "(" + all + ")";
}

/// "component 1 of `v` is nan at cell (3, 0), position (0.4375, 0.0625), the first of 17 such values".
std::string field_text(NotFinite const& bad) {
  NotFinite::Point const& point = *bad.point;
  std::string const component = point.components > 1 ? fmt::format("component {} of ", point.component) : "";
  std::string const index = listed(point.index, [](Index n) { return std::to_string(n); });
  std::string const position = point.position.empty() ? "" : ", position " + listed(point.position, shortest_text);
  std::string const others = point.count > 1 ? fmt::format(", the first of {} such values", point.count) : "";
  return fmt::format("{}`{}` is {} at {} {}{}{}", component, bad.name, shortest_text(bad.value), point.centring, index,
                     position, others);
}

}  // namespace

Section guard_section() {
  Section guard("guard", "Check of the fields for NaN and infinity, which end the run with exit code 3.");
  guard
      .integer("every",
               "Number of steps between checks of all fields. Checks at the start, before snapshots, at the end and "
               "when a quantity is not finite are always made; 0: only these.")
      .at_least(0)
      .defaults_to(std::int64_t{200});
  guard
      .boolean("keep",
               "Whether the last finite state is kept, and written as a snapshot if a later state is not finite. This "
               "takes as much memory as the fields, and a copy at each check.")
      .defaults_to(false);
  return guard;
}

bool keeps_state(Options const& deck) { return deck.section("guard").boolean("keep"); }

StateGuard::StateGuard(Options const& guard, Physics const& physics, Communicator const& communicator)
    : physics_(physics), communicator_(communicator), every_(guard.integer("every")) {
  if (!guard.boolean("keep")) return;
  for (FieldBase const* const field : physics.fields()) kept_.push_back(field->create_like(field->name()));
}

void StateGuard::see(std::span<Quantity const> quantities) {
  auto const bad = std::find_if(quantities.begin(), quantities.end(),
                                [](Quantity const& quantity) { return !std::isfinite(quantity.value); });
  if (bad != quantities.end() && !suspect_) suspect_ = NamedValue{"the quantity `" + bad->name + "`", bad->value};
}

void StateGuard::see_stable_step(double longest) {
  if (!(longest > 0) && !suspect_) suspect_ = NamedValue{"the longest stable step", longest};
  if (std::isinf(longest) && had_stable_step_) stable_step_vanished_ = true;
  had_stable_step_ = std::isfinite(longest);
}

void StateGuard::see_suggested_step(double suggested) {
  if (!(suggested > 0) && !suspect_) suspect_ = NamedValue{"the suggested step", suggested};
}

std::optional<NotFinite> StateGuard::check(Index number, double time) {
  ScopedRegion const region("guard");
  stable_step_vanished_ = false;
  std::vector<Index> counts = counts_of_all_ranks();
  bool const suspected = counts.back() > 0;
  counts.pop_back();
  bool const finite = std::all_of(counts.begin(), counts.end(), [](Index count) { return count == 0; });
  if (finite && !suspected) {
    keep({number, time});
    return std::nullopt;
  }
  NotFinite bad = finite ? suspect_of_all_ranks() : bad_field(counts);
  bad.step = number;
  bad.time = time;
  if (last_finite_) bad.last_finite_step = last_finite_->number;
  return bad;
}

/// Numbers of bad values by field and component, then the number of ranks with a suspect number.
std::vector<Index> StateGuard::counts_of_all_ranks() {
  check_.start(physics_.fields());
  std::vector<Index> counts = check_.counts();
  counts.push_back(suspect_ ? 1 : 0);
  communicator_.sum(counts);
  return counts;
}

NotFinite StateGuard::bad_field(std::vector<Index> const& counts) const {
  std::vector<FieldBase const*> const fields = physics_.fields();
  std::optional<BadValue> const found = first_bad_value(fields);
  if (!found) throw DefectError("non-finite values were counted, but none was found");
  FieldBase const& field = *fields[found->field];
  bool const is_point = as_points(field.mesh()) != nullptr;
  NotFinite::Point point{.centring = is_point ? "point" : to_string(field.centring()),
                         .component = found->component,
                         .components = field.components(),
                         .index = {},
                         .position = {},
                         .count = 0};
  for (int axis = 0; axis < field.mesh().dimensions(); ++axis) {
    point.index.push_back(found->index[static_cast<std::size_t>(axis)]);
    if (is_point) continue;
    point.position.push_back(structured(field.mesh()).coordinate(axis, field.centring(), point.index.back()));
  }
  std::size_t place = static_cast<std::size_t>(found->component);
  for (std::size_t n = 0; n < found->field; ++n) place += static_cast<std::size_t>(fields[n]->components());
  point.count = counts[place];
  return {.name = field.name(), .value = found->value, .point = std::move(point)};
}

/// The suspect number of the lowest rank that has one.
NotFinite StateGuard::suspect_of_all_ranks() const {
  auto const rank = static_cast<int>(communicator_.min(Index{suspect_ ? communicator_.rank() : communicator_.size()}));
  NamedValue suspect = suspect_.value_or(NamedValue{});
  communicator_.broadcast(suspect.name, rank);
  communicator_.broadcast(std::as_writable_bytes(std::span(&suspect.value, 1)), rank);
  return {.name = std::move(suspect.name), .value = suspect.value};
}

void StateGuard::keep(Moment const& moment) {
  last_finite_ = moment;
  std::vector<FieldBase const*> const fields = physics_.fields();
  for (std::size_t n = 0; n < kept_.size(); ++n) kept_[n]->copy(*fields[n]);
}

std::optional<StateGuard::KeptState> StateGuard::kept() const {
  if (kept_.empty() || !last_finite_) return std::nullopt;
  KeptState state{last_finite_->number, last_finite_->time, {}};
  for (auto const& field : kept_) state.fields.push_back(field.get());
  return state;
}

std::string StateGuard::message(NotFinite const& bad) const {
  std::string const when =
      bad.step > 0 ? fmt::format("step {}, time {:g}: ", bad.step, bad.time) : std::string("initial state: ");
  std::string text = when + (bad.point ? field_text(bad)
                                       : fmt::format("{} is {}, though all fields are finite: a sum has overflowed, or "
                                                     "its formula divides by zero",
                                                     bad.name, shortest_text(bad.value)));
  if (!bad.last_finite_step || !bad.point) return text;
  text += fmt::format("; the fields were last found finite after step {}", *bad.last_finite_step);
  if (bad.step - *bad.last_finite_step > 1) text += " (`guard.every: 1` checks every step)";
  if (!kept_.empty()) text += ", and that state is kept as a snapshot";
  return text;
}

}  // namespace halocline
