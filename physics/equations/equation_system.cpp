#include "physics/equations/equation_system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "framework/halo/orders.hpp"
#include "framework/io/field_values.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/scaled_error.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {
namespace {

/// Number of terms that one pass combines.
constexpr std::size_t combined = 4;

/// out = sum of weight * x
template <class Real, int Terms>
struct Combine {
  static constexpr Shape shape = point;
  Real weight[Terms];
  template <class P, class... X>
  KOKKOS_FUNCTION Real operator()(P const&, X const&... x) const {
    Real const values[Terms] = {x[here]...};
    Real sum = weight[0] * values[0];
    for (int n = 1; n < Terms; ++n) sum += weight[n] * values[n];
    return sum;
  }
};

template <class Real>
FieldsState<Real>& as_fields(SystemState& state) {
  return dynamic_cast<FieldsState<Real>&>(state);
}
template <class Real>
FieldsState<Real> const& as_fields(SystemState const& state) {
  return dynamic_cast<FieldsState<Real> const&>(state);
}

template <class Base, class Real>
std::vector<Base*> as_bases(Fields<Real> const& fields) {
  std::vector<Base*> all;
  for (auto const& field : fields) all.push_back(field.get());
  return all;
}

/// `to` = the sum of `terms`, of which there are at most as many as one pass combines.
template <class Real>
void combine_fields(std::span<WeightedState const> terms, Fields<Real>& to) {
  std::array<Fields<Real> const*, combined> from{};
  Combine<Real, combined> functor{};
  for (std::size_t n = 0; n < combined; ++n) {
    WeightedState const& term = terms[std::min(n, terms.size() - 1)];
    from[n] = &as_fields<Real>(*term.state).fields;
    functor.weight[n] = n < terms.size() ? static_cast<Real>(term.weight) : Real{0};
  }
  for (std::size_t field = 0; field < to.size(); ++field) {
    for (Block const& block : to[field]->mesh().blocks()) {
      auto const view = [&](std::size_t n) { return std::as_const(*(*from[n])[field]).view(block); };
      sweep(execution(block), to[field]->owned(block), Geometry<Real>{}, to[field]->view(block), functor, view(0),
            view(1), view(2), view(3));
    }
  }
}

}  // namespace

template <class Real>
EquationSystem<Real>::EquationSystem(std::shared_ptr<StructuredMesh const> mesh, FieldsState<Real> const& state,
                                     std::vector<EquationField> fields, StagesOfLaw<Real> stages,
                                     std::vector<std::optional<ImplicitDiffusion<Real>>> implicit)
    : mesh_(std::move(mesh)),
      like_(state.fields),
      fields_(std::move(fields)),
      stages_(std::move(stages.stages)),
      law_(std::move(stages.law)),
      reads_corners_(stages_->shape().kind == ShapeKind::box),
      exchange_(as_bases<FieldBase const>(like_), {.corners = reads_corners_}),
      implicit_(std::move(implicit)) {
  for (std::size_t n = 0; n < fields_.size() && !law_; ++n) walls_.emplace_back(*like_[n], fields_[n].walls);
  auto const is_zero = [](EquationField const& field) { return field.source.is_zero(); };
  if (!std::all_of(fields_.begin(), fields_.end(), is_zero)) {
    sources_ = std::make_unique<FieldsState<Real>>(create_fields());
  }
}

template <class Real>
EquationSystem<Real>::~EquationSystem() = default;

template <class Real>
Fields<Real> EquationSystem<Real>::create_fields() const {
  Fields<Real> fields;
  for (auto const& field : like_) fields.push_back(std::make_shared<Field<Real>>(mesh_, field->description()));
  return fields;
}

template <class Real>
std::unique_ptr<SystemState> EquationSystem<Real>::create_state() const {
  return std::make_unique<FieldsState<Real>>(create_fields());
}

template <class Real>
void EquationSystem<Real>::swap(SystemState& a, SystemState& b) {
  FieldsState<Real>& one = as_fields<Real>(a);
  FieldsState<Real>& other = as_fields<Real>(b);
  for (std::size_t n = 0; n < one.fields.size(); ++n) one.fields[n]->swap_values(*other.fields[n]);
  std::swap(one.has_ghosts, other.has_ghosts);
  // After a swap either object may be read, so the next write to either starts the exchange.
  one.is_read = other.is_read = one.is_read || other.is_read;
  // A running exchange belongs to the memory in which it started.
  if (under_way_ == &one) {
    under_way_ = &other;
  } else if (under_way_ == &other) {
    under_way_ = &one;
  }
}

template <class Real>
void EquationSystem<Real>::finish_exchange_of(FieldsState<Real> const& state) {
  if (under_way_ != &state) return;
  exchange_.finish();
  under_way_ = nullptr;
}

template <class Real>
void EquationSystem<Real>::prepare(double time, FieldsState<Real>& y) {
  y.is_read = true;
  exchange_.finish();
  under_way_ = nullptr;
  if (!y.has_ghosts) {
    exchange_.exchange(as_bases<FieldBase>(y.fields));
    y.has_ghosts = true;
  }
  if (law_) law_->fill_walls(time, y.fields);
  for (std::size_t n = 0; n < walls_.size(); ++n) {
    walls_[n].fill(*y.fields[n], time, reads_corners_ ? BoundaryReach::corners : BoundaryReach::faces);
  }
}

template <class Real>
FieldsState<Real> const* EquationSystem<Real>::sources(double time) {
  if (!sources_) return nullptr;
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    bool const is_old = sources_time_ && (!fields_[n].source.depends_on_time() || *sources_time_ == time);
    if (!is_old) fill(fields_[n].source, fields_[n].source_name, time, *sources_->fields[n]);
  }
  sources_time_ = time;
  return sources_.get();
}

template <class Real>
void EquationSystem<Real>::sweep(FieldsState<Real> const& y, StageArguments<Real> const& stage,
                                 FieldsState<Real>& out) {
  auto const on_box = [&](Block const& block, IndexRange const& box) { stages_->sweep(block, box, stage); };
  // Borders first, so that the exchange of ghosts overlaps the rest of the sweep. Where sweeps of thin boxes cost more
  // than the exchange, this gains nothing, and the next reader exchanges.
  out.has_ghosts = out.is_read && stages_->forms().of_thin_boxes;
  if (!out.has_ghosts) return sweep_owned(*mesh_, Centring::cell, on_box);
  produce(exchange_, as_bases<FieldBase>(out.fields), Centring::cell, y.fields.front()->ghosts(), on_box);
  under_way_ = exchange_.under_way() ? &out : nullptr;
}

template <class Real>
void EquationSystem<Real>::sweep_slope(StageArguments<Real> const& of, FieldsState<Real>& slope) {
  StageArguments<Real> stage = of;
  stage.out = &slope.fields;
  slope.has_ghosts = false;
  sweep_owned(*mesh_, Centring::cell,
              [&](Block const& block, IndexRange const& box) { stages_->sweep(block, box, stage); });
}

template <class Real>
void EquationSystem<Real>::evaluate(RatePart part, double time, SystemState& y, double own,
                                    std::span<WeightedState const> terms, double scale, SystemState& out,
                                    SystemState* slope) {
  FieldsState<Real>& of = as_fields<Real>(y);
  FieldsState<Real>& to = as_fields<Real>(out);
  FieldsState<Real> const* const source = sources(time);
  prepare(time, of);

  auto const add_source = [&] {
    if (source != nullptr) combine(std::array{WeightedState{1, slope}, WeightedState{1, source}}, *slope);
  };
  StageForms const forms = stages_->forms();
  std::vector<WeightedState> all(terms.begin(), terms.end());
  if (slope != nullptr && !forms.with_slope) {
    all.push_back({own, &y});
    if (std::any_of(all.begin(), all.end(), [&](WeightedState const& term) { return term.state == slope; })) {
      // Save the old contents of `slope`, a term, before it is overwritten.
      combine(all, out);
      all.assign(1, {1, &out});
    }
    sweep_slope({.part = part, .time = time, .y = &of.fields, .scale = 1}, as_fields<Real>(*slope));
    add_source();
    all.push_back({scale, slope});
    return combine(all, out);
  }
  if (source != nullptr) all.push_back({scale, source});
  if (all.size() > forms.terms) {
    // Terms that do not fit are combined in `out`, which becomes a term; the old contents of `out` are added first.
    std::stable_partition(all.begin(), all.end(), [&](WeightedState const& term) { return term.state == &out; });
    std::size_t const first = all.size() - (forms.terms - 1);
    combine(std::span(all).first(first), out);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    all.push_back({1, &out});
  }
  StageArguments<Real> stage{
      .part = part, .time = time, .y = &of.fields, .own = own, .scale = scale, .out = &to.fields};
  for (WeightedState const& term : all) {
    auto const n = static_cast<std::size_t>(stage.terms++);
    stage.weights[n] = term.weight;
    stage.states[n] = &as_fields<Real>(*term.state).fields;
  }
  if (slope != nullptr) {
    FieldsState<Real>& rate = as_fields<Real>(*slope);
    stage.slope = &rate.fields;
    rate.has_ghosts = false;
  }
  sweep(of, stage, to);
  if (slope != nullptr) add_source();
  if (slope == nullptr && names_) take_donor_cells(stage, to);
}

template <class Real>
void EquationSystem<Real>::use_donor_cells(std::vector<std::string> names) {
  names_ = std::move(names);
  first_unphysical_.reset();
}
template <class Real>
std::optional<std::string> EquationSystem<Real>::end_donor_cells() {
  names_.reset();
  return first_unphysical_;
}

template <class Real>
void EquationSystem<Real>::take_donor_cells(StageArguments<Real> const& stage, FieldsState<Real>& out) {
  finish_exchange_of(out);
  if (!marks_) {
    marks_ = std::make_unique<Field<Real>>(mesh_, FieldDescription{.name = "donor cells", .ghosts = 1});
    exchange_of_marks_.emplace(std::vector<FieldBase const*>{marks_.get()});
  }
  marks_->fill(Real{0});
  // A neighbour may lose by the changed flux what it needs to stay physical, and is then marked in the next round. A
  // cell is marked once, so there is a last round, at the latest when all faces have donor cells.
  for (int round = 1;; ++round) {
    std::array<double, 1> marked{static_cast<double>(stages_->mark_unphysical(out.fields, *marks_, round))};
    mesh_->communicator().sum(marked);
    if (marked[0] == 0) break;
    if (!first_unphysical_) first_unphysical_ = law_->unphysical(out.fields, *names_);
    donor_cells_ += static_cast<std::int64_t>(marked[0]);
    exchange_of_marks_->exchange({marks_.get()});
    stages_->take_donor_cells(stage, *marks_, round);
    out.has_ghosts = false;
  }
}

template <class Real>
void EquationSystem<Real>::combine(std::span<WeightedState const> terms, SystemState& out) {
  FieldsState<Real>& to = as_fields<Real>(out);
  finish_exchange_of(to);
  // The first pass overwrites `out`, so its old contents must be in that pass.
  std::vector<WeightedState> rest(terms.begin(), terms.end());
  std::stable_partition(rest.begin(), rest.end(), [&](WeightedState const& term) { return term.state == &out; });
  std::span<WeightedState const> left(rest);
  std::vector<WeightedState> pass(left.begin(),
                                  left.begin() + static_cast<std::ptrdiff_t>(std::min(left.size(), combined)));
  left = left.subspan(pass.size());
  combine_fields<Real>(pass, to.fields);
  while (!left.empty()) {
    std::size_t const more = std::min(left.size(), combined - 1);
    pass.assign(1, {1, &out});
    pass.insert(pass.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(more));
    left = left.subspan(more);
    combine_fields<Real>(pass, to.fields);
  }
  to.has_ghosts = false;
}

template <class Real>
std::vector<SolveReport> EquationSystem<Real>::solve(double time, double scale, SystemState const& right,
                                                     SystemState& out) {
  if (implicit_.empty()) throw DefectError("a system without an implicit part was asked to solve for it");
  FieldsState<Real>& to = as_fields<Real>(out);
  finish_exchange_of(to);
  std::vector<SolveReport> reports;
  for (std::size_t n = 0; n < implicit_.size(); ++n) {
    auto const& from = as_fields<Real>(right).fields[n];
    if (implicit_[n]) {
      reports.push_back(implicit_[n]->solve(time, scale, from, to.fields[n]));
    } else {
      FieldVector<Real>(to.fields[n]).copy(FieldVector<Real>(from));
    }
  }
  to.has_ghosts = false;
  return reports;
}

template <class Real>
void EquationSystem<Real>::serialize(StateArchive& archive, std::string const& name, SystemState& state) {
  FieldsState<Real>& y = as_fields<Real>(state);
  finish_exchange_of(y);
  std::string const group = name.empty() ? "" : name + "/";
  for (std::size_t n = 0; n < y.fields.size(); ++n) {
    std::string const& field = like_[n]->name();
    archive.field(group + field, *y.fields[n]);
  }
  if (archive.restores()) y.has_ghosts = false;
}

template <class Real>
void EquationSystem<Real>::serialize_solvers(StateArchive& archive) {
  for (std::size_t n = 0; n < implicit_.size(); ++n) {
    if (implicit_[n]) implicit_[n]->serialize(archive, "solver/" + like_[n]->name());
  }
}

template <class Real>
double EquationSystem<Real>::scaled_maximum(SystemState const& error, SystemState const& before,
                                            SystemState const& after, double absolute, double relative) {
  std::vector<IndexRange> owned;
  for (Block const& block : mesh_->blocks()) owned.push_back(mesh_->owned(block, Centring::cell));
  double largest = 0;
  for (std::size_t n = 0; n < like_.size(); ++n) {
    auto const field = [&](SystemState const& state) -> Field<Real> const& {
      return *as_fields<Real>(state).fields[n];
    };
    largest = larger(largest,
                     scaled_error_of_rank<Real>(field(error), field(before), field(after), owned, absolute, relative));
  }
  return mesh_->communicator().max(largest);
}

template <class Real>
std::optional<double> EquationSystem<Real>::fastest(double time, FieldsState<Real>& y) {
  prepare(time, y);
  std::optional<double> const mine = stages_->fastest(time, y.fields);
  if (!mine) return std::nullopt;
  double const of_inflow = law_ != nullptr ? law_->fastest_inflow() : 0;
  return mesh_->communicator().max(larger(*mine, of_inflow));
}

template <class Real>
double EquationSystem<Real>::largest_diffusivity() const {
  double largest = 0;
  for (double const of_field : stages_->diffusivity()) largest = larger(largest, of_field);
  return largest;
}

template class EquationSystem<float>;
template class EquationSystem<double>;

}  // namespace halocline
