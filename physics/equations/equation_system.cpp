#include "physics/equations/equation_system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "framework/halo/orders.hpp"
#include "framework/io/field_values.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/equations/equations.hpp"

namespace halocline {
namespace {

template <class Real>
std::vector<FieldBase const*> as_bases(FieldVector<Real> const& state) {
  std::vector<FieldBase const*> all;
  for (auto const& field : state.fields()) all.push_back(field.get());
  return all;
}

/// Each of the strength that the deck gives, per volume of its cell.
template <class Real>
PointSources<Real> point_sources(std::vector<PointSource> const& given, StructuredMesh const& mesh,
                                 Field<Real> const& like) {
  PointSources<Real> all;
  for (PointSource const& source : given) {
    all.add(mesh, like, source.position, 1 / cell_volume(mesh, source.position), source.strength);
  }
  return all;
}

}  // namespace

template <class Real>
EquationSystem<Real>::EquationSystem(std::shared_ptr<StructuredMesh const> mesh, FieldVector<Real> const& state,
                                     std::vector<EquationField> fields, StagesOfLaw<Real> stages,
                                     LinearPart<Real> linear)
    : mesh_(std::move(mesh)),
      like_(state.fields()),
      fields_(std::move(fields)),
      stages_(std::move(stages.stages)),
      law_(std::move(stages.law)),
      reads_corners_(stages_->shape().kind == ShapeKind::box),
      exchange_(as_bases(like_), {.corners = reads_corners_}),
      linear_(std::move(linear)) {
  std::vector<BoundaryConditions> walls;
  for (EquationField const& field : fields_) walls.push_back(field.walls);
  if (!law_ && !std::all_of(walls.begin(), walls.end(), are_zero)) walls_.emplace(as_bases(like_), std::move(walls));
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    EquationField const& field = fields_[n];
    points_.push_back(point_sources(field.points, *mesh_, *like_.fields()[n]));
    // Once, since expressions take long to say what they depend on.
    has_source_fields_ = has_source_fields_ || !field.source.is_zero();
    has_sources_ = has_sources_ || has_source_fields_ || !field.points.empty();
    sources_change_ = sources_change_ || field.source.depends_on_time() || !field.points.empty();
    for (BoundaryCondition const& wall : field.walls.faces) {
      walls_change_ = walls_change_ || wall.value.depends_on_time();
    }
  }
}

template <class Real>
EquationSystem<Real>::~EquationSystem() = default;

template <class Real>
std::unique_ptr<Vector> EquationSystem<Real>::create_state() const {
  return like_.create();
}

template <class Real>
void EquationSystem<Real>::prepare(double time, FieldVector<Real>& y) {
  exchange(y);
  fill_walls(time, y);
}

template <class Real>
void EquationSystem<Real>::exchange(FieldVector<Real>& y) {
  exchange_.finish();
  std::vector<FieldBase*> const fields = y.underlying_fields();
  if (!exchange_.is_needed(fields)) return;
  exchange_.exchange(fields);
  ++exchanges_so_far_;
}

template <class Real>
void EquationSystem<Real>::fill_walls(double time, FieldVector<Real>& y) {
  if (law_) law_->fill_walls(time, y.fields());
  BoundaryReach const reach = reads_corners_ ? BoundaryReach::corners : BoundaryReach::faces;
  if (walls_) walls_->fill(y.underlying_fields(), time, reach);
}

template <class Real>
FieldVector<Real> const* EquationSystem<Real>::sources(double time) {
  if (!has_sources_) return nullptr;
  if (sources_time_ && (!sources_change_ || *sources_time_ == time)) return sources_.get();
  if (!sources_) sources_ = std::make_unique<FieldVector<Real>>(as_field_vector<Real>(*like_.create()).fields());
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    fill(fields_[n].source, fields_[n].source_name, time, *sources_->fields()[n]);
    points_[n].add_to(*sources_->fields()[n], 1, time);
  }
  sources_time_ = time;
  return sources_.get();
}

template <class Real>
void EquationSystem<Real>::sweep(FieldVector<Real> const& y, StageArguments<Real> const& stage,
                                 FieldVector<Real>& out) {
  // Borders first, so that the exchange of ghosts overlaps the rest of the sweep, if a rate has read ghosts of `out`
  // before. Where sweeps of thin boxes cost more than the exchange, this gains nothing, and the next reader exchanges.
  Field<Real> const& first = *out.fields().front();
  bool const is_read = first.ghost_record(mesh_->blocks().front()).was_exchanged();
  if (is_read && stages_->forms().of_thin_boxes) return sweep_and_exchange(stage, y, out);
  sweep_owned(*mesh_, Centring::cell,
              [&](Block const& block, IndexRange const& box) { stages_->sweep(block, box, stage); });
}

template <class Real>
void EquationSystem<Real>::sweep_and_exchange(StageArguments<Real> const& stage, FieldVector<Real> const& y,
                                              FieldVector<Real>& out) {
  produce(exchange_, out.underlying_fields(), Centring::cell, y.fields().front()->ghosts(),
          [&](Block const& block, IndexRange const& box) { stages_->sweep(block, box, stage); });
  ++exchanges_so_far_;
}

template <class Real>
void EquationSystem<Real>::sweep_slope(StageArguments<Real> const& of, FieldVector<Real>& slope) {
  StageArguments<Real> stage = of;
  stage.out = &slope.fields();
  sweep_owned(*mesh_, Centring::cell,
              [&](Block const& block, IndexRange const& box) { stages_->sweep(block, box, stage); });
}

template <class Real>
Vector const* EquationSystem<Real>::beside_sweeps(RatePart part, double time, FieldVector<Real>& y) {
  bool const is_whole = part == RatePart::whole;
  Vector const* const source = is_whole || !linear_.with_sources ? sources(time) : nullptr;
  if (linear_.is_swept) return source;
  exchange_.finish();
  if (!rate_) rate_ = create_state();
  if (stages_->has_explicit_part()) {
    if (!zero_walls_) {
      std::vector zero(fields_.size(), walls_of_kind(BoundaryKind::zero, *mesh_));
      zero_walls_.emplace(as_bases(like_), std::move(zero));
    }
    zero_walls_->fill(y.underlying_fields(), time);
  }
  if (!linear_.rate->evaluate(part, time, y, as_state<Real>(*rate_))) return source;
  if (source != nullptr) rate_->add(1, *source);
  return rate_.get();
}

template <class Real>
void EquationSystem<Real>::evaluate(RatePart part, double time, Vector& y, double own,
                                    std::span<WeightedVector const> terms, double scale, Vector& out, Vector* slope) {
  FieldVector<Real>& of = as_state<Real>(y);
  FieldVector<Real>& to = as_state<Real>(out);
  Vector const* const beside = beside_sweeps(part, time, of);
  std::vector<WeightedVector> all(terms.begin(), terms.end());
  bool const is_swept = stages_->has_explicit_part() || (linear_.is_swept && part == RatePart::whole);
  if (!is_swept) {
    if (own != 0) all.push_back({own, &y});
    if (beside != nullptr) all.push_back({scale, beside});
    out.assign(all);
    if (slope == nullptr) return;
    return beside != nullptr ? slope->copy(*beside) : slope->fill(0);
  }
  prepare(time, of);

  auto const add_beside = [&] {
    if (beside != nullptr) slope->add(1, *beside);
  };
  StageForms const forms = stages_->forms();
  if (slope != nullptr && !forms.with_slope) {
    all.push_back({own, &y});
    if (std::any_of(all.begin(), all.end(), [&](WeightedVector const& term) { return term.x == slope; })) {
      // Save the old contents of `slope`, a term, before it is overwritten.
      out.assign(all);
      all.assign(1, {1, &out});
    }
    sweep_slope({.part = part, .time = time, .y = &of.fields(), .scale = 1}, as_state<Real>(*slope));
    add_beside();
    all.push_back({scale, slope});
    return out.assign(all);
  }
  if (beside != nullptr) all.push_back({scale, beside});
  if (all.size() > forms.terms) {
    // Terms that do not fit are combined in `out`, which becomes a term; the old contents of `out` are added first.
    std::stable_partition(all.begin(), all.end(), [&](WeightedVector const& term) { return term.x == &out; });
    std::size_t const first = all.size() - (forms.terms - 1);
    out.assign(std::span(all).first(first));
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    all.push_back({1, &out});
  }
  StageArguments<Real> stage{
      .part = part, .time = time, .y = &of.fields(), .own = own, .scale = scale, .out = &to.fields()};
  for (WeightedVector const& term : all) {
    auto const n = static_cast<std::size_t>(stage.terms++);
    stage.weights[n] = term.weight;
    stage.states[n] = &as_field_vector<Real>(*term.x).fields();
  }
  if (slope != nullptr) stage.slope = &as_field_vector<Real>(*slope).fields();
  sweep(of, stage, to);
  if (slope != nullptr) add_beside();
  if (slope == nullptr && names_) take_donor_cells(stage, to);
}

template <class Real>
StageArguments<Real> EquationSystem<Real>::arguments(double time, FieldVector<Real> const& u, double own,
                                                     WeightedVector const& x, double scale,
                                                     FieldVector<Real> const& out) const {
  StageArguments<Real> stage{.time = time, .y = &u.fields(), .own = own, .scale = scale, .out = &out.fields()};
  if (stages_->order_in_time() == 0) return stage;
  stage.terms = 1;
  stage.weights[0] = x.weight;
  stage.states[0] = &as_field_vector<Real>(*x.x).fields();
  return stage;
}

template <class Real>
void EquationSystem<Real>::step(double time, FieldVector<Real>& u, double own, WeightedVector const& x, double scale,
                                FieldVector<Real>& out) {
  prepare(time, u);
  StageArguments<Real> const stage = arguments(time, u, own, x, scale, out);
  for (Block const& block : mesh_->blocks()) stages_->sweep(block, mesh_->owned(block, Centring::cell), stage);
}

template <class Real>
void EquationSystem<Real>::repeated_step(double time, FieldVector<Real>& u, double own, WeightedVector const& x,
                                         double scale, FieldVector<Real>& out, SpongeFactors<Real> const* damping) {
  StageArguments<Real> stage = arguments(time, u, own, x, scale, out);
  for (int axis = 0; damping != nullptr && axis < mesh_->dimensions(); ++axis) {
    stage.damping[static_cast<std::size_t>(axis)] = damping->along(axis);
  }
  exchange(u);
  auto const work = [&] {
    fill_walls(time, u);
    sweep_and_exchange(stage, u, out);
  };
  if (!replays_ || !kernels_repeat()) return work();
  replay(u, scale, work);
}

template <class Real>
bool EquationSystem<Real>::kernels_repeat() const {
  return !law_ && !walls_change_ && linear_.is_swept && mesh_->blocks().size() == 1 && exchange_.buffer_index();
}

template <class Real>
bool EquationSystem<Real>::repeats() const {
  return !sources_change_ && kernels_repeat();
}

template <class Real>
bool EquationSystem<Real>::replay(FieldVector<Real>& u, double step, std::function<void()> const& work) {
  exchange(u);
  Block const& block = mesh_->blocks().front();
  Real const* const place = std::as_const(*u.fields().front()).view(block).origin;
  next_ = 1 - next_;
  int& exchanges = exchanges_[next_];
  bool const called = steps_[next_].run(execution(block), {place, step, *exchange_.buffer_index()}, [&] {
    int const before = exchanges_so_far_;
    work();
    // Kernels alone exchange: waiting for them costs nothing, and the whole step can be enqueued at once.
    exchange_.finish();
    exchanges = exchanges_so_far_ - before;
  });
  for (int n = 0; !called && n < exchanges; ++n) exchange_.replayed();
  return called;
}

template <class Real>
void EquationSystem<Real>::check(double time, FieldVector<Real>& u) {
  if (has_source_fields_) static_cast<void>(sources(time));
  if (linear_.is_swept || stages_->has_explicit_part()) prepare(time, u);
}

template <class Real>
void EquationSystem<Real>::add_sources(double time, double scale, FieldVector<Real>& u) {
  if (has_source_fields_) return u.add(scale, *sources(time));
  exchange_.finish();
  for (std::size_t n = 0; n < fields_.size(); ++n) points_[n].add_to(*u.fields()[n], scale, time);
}

template <class Real>
double EquationSystem<Real>::energy(FieldVector<Real> const& u, FieldVector<Real> const& before,
                                    FieldVector<Real> const& change) const {
  return mesh_->communicator().sum(stages_->energy(u.fields(), before.fields(), change.fields()));
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
void EquationSystem<Real>::take_donor_cells(StageArguments<Real> const& stage, FieldVector<Real>& out) {
  exchange_.finish();
  if (!marks_) {
    marks_ = std::make_unique<Field<Real>>(mesh_, FieldDescription{.name = "donor cells", .ghosts = 1});
    exchange_of_marks_.emplace(std::vector<FieldBase const*>{marks_.get()});
  }
  marks_->fill(Real{0});
  // A neighbour may lose by the changed flux what it needs to stay physical, and is then marked in the next round. A
  // cell is marked once, so there is a last round, at the latest when all faces have donor cells.
  for (int round = 1;; ++round) {
    std::array<double, 1> marked{static_cast<double>(stages_->mark_unphysical(out.fields(), *marks_, round))};
    mesh_->communicator().sum(marked);
    if (marked[0] == 0) break;
    if (!first_unphysical_) first_unphysical_ = law_->unphysical(out.fields(), *names_);
    donor_cells_ += static_cast<std::int64_t>(marked[0]);
    exchange_of_marks_->exchange({marks_.get()});
    stages_->take_donor_cells(stage, *marks_, round);
    for (Block const& block : mesh_->blocks()) {
      for (auto const& field : out.fields()) field->mark_written(block, field->owned(block), "donor cells");
    }
  }
}

template <class Real>
std::vector<SolveReport> EquationSystem<Real>::solve(double time, double scale, Vector const& right, Vector& out) {
  if (!linear_.rate) throw DefectError("a system without an implicit part was asked to solve for it");
  exchange_.finish();
  FieldVector<Real>& to = as_state<Real>(out);
  FieldVector<Real> const* const source = linear_.with_sources ? sources(time) : nullptr;
  if (source == nullptr) return linear_.rate->solve(time, scale, as_field_vector<Real>(right), to);
  if (!right_) right_ = create_state();
  right_->assign({{1, &right}, {scale, source}});
  return linear_.rate->solve(time, scale, as_field_vector<Real>(*right_), to);
}

template <class Real>
void EquationSystem<Real>::serialize(StateArchive& archive, std::string const& name, Vector& state) {
  exchange_.finish();
  std::string const group = name.empty() ? "" : name + "/";
  Fields<Real> const& fields = as_field_vector<Real>(state).fields();
  // Before version 0.3 integrators of heat and advection had states without a name of the field.
  bool const is_nameless = fields.size() == 1 && archive.has(name) && !archive.has(group + fields.front()->name());
  if (is_nameless) return archive.field(name, *fields.front());
  for (auto const& field : fields) archive.field(group + field->name(), *field);
}

template <class Real>
std::optional<double> EquationSystem<Real>::fastest(double time, FieldVector<Real>& y) {
  if (!stages_->has_fastest()) return std::nullopt;
  prepare(time, y);
  std::optional<double> const mine = stages_->fastest(time, y.fields());
  if (!mine) return std::nullopt;
  double const beyond = law_ != nullptr ? law_->fastest_beyond(y.fields()) : 0;
  return mesh_->communicator().max(larger(*mine, beyond));
}

template <class Real>
double EquationSystem<Real>::linear_euler_rate() {
  if (linear_euler_rate_) return *linear_euler_rate_;
  double largest = 0;
  if (!linear_.is_swept) {
    largest = linear_.rate->euler_rate();
  } else {
    for (Diffusivity<Real> const& of_field : stages_->diffusivity()) {
      bool const varies = of_field.euler_rate > 0;
      largest = larger(largest, varies ? of_field.euler_rate : 1 / stable_diffusion_step(*mesh_, of_field.largest));
    }
  }
  linear_euler_rate_ = largest + stages_->coupling_euler_rate();
  return *linear_euler_rate_;
}

template class EquationSystem<float>;
template class EquationSystem<double>;

}  // namespace halocline
