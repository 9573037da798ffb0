#include "physics/equations/evolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "framework/field/boundary_section.hpp"
#include "framework/grid/volumes.hpp"
#include "framework/io/field_values.hpp"
#include "framework/io/output_boxes.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/closed_walls.hpp"
#include "physics/equations/coefficients.hpp"
#include "physics/equations/field_extremes.hpp"
#include "physics/equations/field_numbers.hpp"
#include "physics/equations/law_sections.hpp"
#include "physics/equations/linear_terms.hpp"
#include "physics/equations/transport/section.hpp"
#include "physics/equations/transport/terms.hpp"
#include "solvers/linear/factory.hpp"

namespace halocline {
namespace {

/// |u - exact| at a point, and its square.
struct ErrorTerms {
  static constexpr Shape shape = point;
  template <class P, class U, class E>
  KOKKOS_FUNCTION Result<double, 0, 2> operator()(P const&, U const& u, E const& exact) const {
    double const error = static_cast<double>(u[here]) - static_cast<double>(exact[here]);
    return {{}, {error < 0 ? -error : error, error * error}};
  }
};

/// The largest |u - exact|.
struct LargestError {
  static constexpr Shape shape = point;
  template <class P, class U, class E>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const& at, U const& u, E const& exact) const {
    return {{}, {ErrorTerms{}(at, u, exact).sum[0]}};
  }
};

/// ErrorTerms times the volume of the cell, which is the last input.
struct ErrorTimesVolume {
  static constexpr Shape shape = point;
  template <class P, class U, class E, class V>
  KOKKOS_FUNCTION Result<double, 0, 2> operator()(P const& at, U const& u, E const& exact, V const& volume) const {
    Result<double, 0, 2> const terms = ErrorTerms{}(at, u, exact);
    auto const factor = static_cast<double>(volume[here]);
    return {{}, {factor * terms.sum[0], factor * terms.sum[1]}};
  }
};

std::string kind_of(FieldQuantity const& quantity) {
  switch (quantity.kind) {
    case FieldQuantity::Kind::mean:
      return "mean";
    case FieldQuantity::Kind::minimum:
      return "minimum";
    case FieldQuantity::Kind::maximum:
    case FieldQuantity::Kind::magnitude:
      return "maximum";
    case FieldQuantity::Kind::peclet:
      return "peclet";
    case FieldQuantity::Kind::energy:
      return "energy";
    case FieldQuantity::Kind::integral:
      break;
  }
  return "integral";
}

FaceMean face_mean(Equations::Declared const& declared, Options const& own) {
  return declared.face_mean ? declared.face_mean(own) : FaceMean::harmonic;
}

double cells(StructuredMesh const& mesh) {
  Extents const all = mesh.extents(Centring::cell);
  return static_cast<double>(all[0]) * static_cast<double>(all[1]) * static_cast<double>(all[2]);
}

/// The two sums of a functor over a field (and further inputs), over all ranks.
template <class Real, class Functor, class... More>
std::array<double, 2> sums(Functor const& functor, Field<Real> const& u, More const&... more) {
  std::array<double, 2> all{};
  for (Block const& block : u.mesh().blocks()) {
    Reduction<Execution, CompensatedSum> terms;
    sweep_reduce(execution(block), u.owned(block), Geometry<Real>{}, terms, no_outputs, functor, u.view(block),
                 more.view(block)...);
    for (std::size_t n = 0; n < 2; ++n) all[n] += terms.value(static_cast<int>(n));
  }
  u.mesh().communicator().sum(all);
  return all;
}

std::vector<BoundaryConditions> walls_of(std::vector<EquationField> const& fields) {
  std::vector<BoundaryConditions> all;
  for (EquationField const& field : fields) all.push_back(field.walls);
  return all;
}

std::vector<std::string> names_of(std::vector<Primitive> const& primitives) {
  std::vector<std::string> names;
  for (Primitive const& each : primitives) names.push_back(each.name);
  return names;
}

}  // namespace

template <class Real>
Evolution<Real>::Evolution(PhysicsContext const& context, Equations::Declared declared, StagesOfLaw<Real> stages)
    : declared_(std::move(declared)),
      own_(context.deck.section(declared_.name)),
      mesh_(context.mesh),
      time_(context.deck.section("time").real("start")),
      state_(make_fields<Real>(mesh_, declared_.fields, std::max(1, stages.stages->shape().radius))),
      receivers_(own_.list("receivers"), mesh_, state_.fields()),
      law_(stages.law.get()),
      treatment_(stages.stages->order_in_time() != 1
                     ? Treatment::explicit_
                     : chosen_integrator(context.deck.section("time"), declared_.integrator)->treatment),
      is_swept_(!declared_.is_carried && is_uniform(*mesh_) && face_mean(declared_, own_) == FaceMean::harmonic),
      has_same_steps_(context.deck.section("time").has("steps")) {
  Options const time = context.deck.section("time");
  int const order = stages.stages->order_in_time();
  if (order == 1) {
    integrator_name_ = chosen_integrator(time, declared_.integrator)->name;
    integrator_ = make_time_integrator(time, declared_.integrator);
  }
  std::vector<EquationField> fields;
  bool has_exact = false;
  for (std::size_t n = 0; n < declared_.fields.size(); ++n) {
    std::string const& name = declared_.fields[n];
    Options const field = options_of(n);
    set_initial(n);
    EquationField& equation_field = fields.emplace_back();
    equation_field.source = field.field("source");
    equation_field.source_name = field.full_name("source");
    equation_field.points = point_sources(name);
    // Throws here, before the run begins, if a strength is not finite then.
    for (PointSource const& source : equation_field.points) static_cast<void>(source.strength(time_));
    if (law_ == nullptr) equation_field.walls = make_boundary_conditions(field.section("boundary"), *mesh_);
    has_exact = has_exact || field.has("exact");
  }
  if (law_ != nullptr) law_->conserve(state_.fields(), gives_others(own_.section("initial"), declared_.primitives));
  if (!declared_.coefficients.empty()) set_coefficients(fields, *stages.stages);
  for (std::string const& name : declared_.materials) {
    materials_.push_back(std::make_shared<Field<Real>>(mesh_, FieldDescription{.name = name}));
    if (!compute(*materials_.back())) materials_.back()->fill(Real{1});
  }
  LinearPart<Real> linear = linear_part(context, fields, *stages.stages);
  system_ =
      std::make_unique<EquationSystem<Real>>(mesh_, state_, std::move(fields), std::move(stages), std::move(linear));
  if (order != 1) integrator_ = own_steps(time, order);
  falls_back_ = law_ != nullptr && system_->has_donor_cells() && own_.choice("fallback") == "donor_cell" &&
                integrator_->keep_previous();
  if (law_ != nullptr) {
    if (auto const found = law_->unphysical(state_.fields(), names_of(declared_.primitives))) {
      throw InputError("`" + own_.full_name("initial") + "` is not a physical state at " + *found);
    }
    if (auto const found = law_->unresolved(state_.fields(), names_of(declared_.primitives))) {
      throw InputError("`" + own_.full_name("initial") +
                       "`: terms of the fluxes are below the range of the precision at " + *found +
                       "; scale the problem, or use `precision: double`");
    }
  }
  system_->check(time_, state_);
  receivers_.record(time_, state_.fields());
  if (!is_uniform(*mesh_) || !declared_.integrals.empty()) make_volume();
  if (!declared_.integrals.empty()) integrals_.emplace(declared_.integrals, *volume_, state_.fields(), materials_);
  if (!has_exact) return;
  exact_ = std::make_unique<Field<Real>>(mesh_, FieldDescription{.name = "exact", .ghosts = 0});
  static_cast<void>(
      Evolution::quantities());  // throws here, before the run begins, if an exact solution is not finite somewhere
}

template <class Real>
bool Evolution<Real>::compute(Field<Real>& field) const {
  auto const found = std::find_if(declared_.computed.begin(), declared_.computed.end(),
                                  [&](ComputedField const& each) { return each.name == field.name(); });
  if (found == declared_.computed.end()) return false;
  for (Block const& block : mesh_->blocks()) {
    std::optional<std::vector<double>> const cells = found->cells(own_, *mesh_, block);
    if (!cells) return false;
    std::vector<Real> const rounded(cells->begin(), cells->end());
    field.set_owned(block, 0, std::as_bytes(std::span(rounded)));
  }
  return true;
}

template <class Real>
void Evolution<Real>::set_initial(std::size_t n) {
  if (compute(*state_.fields()[n])) return;
  Options const section = law_ != nullptr ? own_.section("initial") : options_of(n);
  std::string const name = law_ != nullptr ? given_name(section, declared_.primitives[n]) : "initial";
  FieldVector<Real> u = state_.of_field(n);
  evaluate<Real>(section.field(name), section.full_name(name), time_, u);
}

template <class Real>
void Evolution<Real>::make_volume() {
  if (volume_ != nullptr) return;
  auto volume =
      std::make_shared<FieldVector<Real>>(std::make_shared<Field<Real>>(mesh_, FieldDescription{.name = "volume"}));
  BoundaryConditions const any_walls = walls_of_kind(BoundaryKind::neumann, *mesh_);
  fill_volumes(control_volume_grid(mesh_, Centring::cell, any_walls), volume->field());
  require_in_range(*volume, "the volume of a cell");
  if (!is_uniform(*mesh_)) {
    auto const one = volume->create();
    one->fill(1);
    all_volume_ = one->dot(*volume);
  }
  volume_ = std::move(volume);
}

/// The list `sources` of a deck, for one field.
template <class Real>
std::vector<Options> Evolution<Real>::given_sources(std::string const& field) const {
  std::vector<Options> all = own_.list("sources");
  if (!declared_.source_section)
    std::erase_if(all, [&](Options const& source) { return source.choice("field") != field; });
  return all;
}

template <class Real>
std::vector<PointSource> Evolution<Real>::point_sources(std::string const& field) const {
  std::vector<PointSource> all;
  for (Options const& source : given_sources(field)) {
    all.push_back({source.reals("position"),
                   declared_.source_section ? declared_.point_strength(source, time_) : point_strength(source)});
  }
  return all;
}

/// How a physics steps whose order in time is not 1.
template <class Real>
std::unique_ptr<TimeIntegrator> Evolution<Real>::own_steps(Options const& time, int order) {
  if (declared_.is_autonomous) system_->replay_steps();
  if (order == 0) return std::make_unique<Replacement<Real>>(*system_);
  auto rate = system_->create_state();
  for (std::size_t n = 0; n < declared_.fields.size(); ++n) {
    FieldVector<Real> of_field = as_field_vector<Real>(*rate).of_field(n);
    Options const section = options_of(n);
    evaluate<Real>(section.field("initial_rate"), section.full_name("initial_rate"), time_, of_field);
  }
  known_step_ = euler_step(system_->fastest(time_, state_));
  double const step = time.has("step") ? time.real("step") : time.real("courant") * *known_step_;
  std::optional<Sponge> sponge;
  if (declared_.has_sponge && has_sponge(own_)) {
    Options const given = own_.section("sponge");
    sponge = sponge_for(given.real("width"), given.real("reflection"), highest_speed_);
  }
  auto leapfrog = std::make_unique<Leapfrog<Real>>(mesh_, *system_, state_, std::move(rate), sponge, time_, step);
  leapfrog_ = leapfrog.get();
  return leapfrog;
}

/// Squares the values of a coefficient that is a speed, and writes it with the state.
template <class Real>
void Evolution<Real>::square_speed(std::shared_ptr<Field<Real>> const& field) {
  FieldSource const speed = own_.field(declared_.speed);
  if (!(extreme<reduce::Minimum>(*field) > 0)) {
    throw InputError("`" + own_.full_name(declared_.speed) + "`: " + speed.described() + " is not above 0 everywhere");
  }
  FieldVector<Real> values(field);
  highest_speed_ = values.maximum();
  values.multiply(values, values);
  materials_.push_back(field);
}

template <class Real>
void Evolution<Real>::set_coefficients(std::vector<EquationField> const& fields, Stages<Real>& stages) {
  Coefficients<Real> all{
      .walls = walls_of(fields), .is_solved_for = treatment_ != Treatment::explicit_, .is_swept = is_swept_};
  all.mean = face_mean(declared_, own_);
  auto const is_number = [&](DeclaredCoefficient const& each) {
    return own_.has(each.name) && each.source(own_).is_constant();
  };
  bool const is_damped = declared_.has_sponge && has_sponge(own_);
  if (stages.takes_constants() && !is_damped && declared_.computed.empty() &&
      std::all_of(declared_.coefficients.begin(), declared_.coefficients.end(), is_number)) {
    for (DeclaredCoefficient const& each : declared_.coefficients) {
      double const value = each.source(own_).constant();
      bool const is_speed = each.name == declared_.speed;
      if (is_speed) highest_speed_ = value;
      all.constants.push_back(is_speed ? value * value : value);
    }
    return stages.set_coefficients(all, state_.fields());
  }
  for (DeclaredCoefficient const& each : declared_.coefficients) {
    std::string const& name = each.name;
    std::string const called = own_.full_name(name);
    bool const is_speed = name == declared_.speed;
    auto const field =
        std::make_shared<Field<Real>>(mesh_, FieldDescription{.name = is_speed ? name + "_squared" : name,
                                                              .centring = each.centring(),
                                                              .ghosts = stages.coefficient_ghosts()});
    if (compute(*field)) {
      all.vary = true;
    } else if (own_.has(name)) {
      FieldSource const source = each.source(own_);
      fill(source, called, time_, *field);
      all.vary = all.vary || !source.is_constant();
    } else {
      field->fill(Real{1});
    }
    if (is_speed) square_speed(field);
    all.fields.push_back(field);
    if (!all.options.empty()) all.options += ", ";
    all.options.append("`").append(called).append("`");
  }
  if (stages.coefficient_ghosts() > 0)
    fill_ghosts_of_coefficients(*mesh_, all.fields, stages.shape().kind == ShapeKind::box);
  stages.set_coefficients(all, state_.fields());
}

/// The part of the rate that the deck's solver solves for: for all fields together where they are coupled.
template <class Real>
LinearPart<Real> Evolution<Real>::linear_part(PhysicsContext const& context, std::vector<EquationField> const& fields,
                                              Stages<Real> const& stages) {
  bool const is_solved_for = treatment_ != Treatment::explicit_;
  LinearPart<Real> linear{.is_swept = is_swept_, .with_sources = treatment_ == Treatment::implicit};
  if (is_swept_ && !is_solved_for) return linear;
  auto const solver = [&]() -> std::unique_ptr<LinearSolver> {
    if (!is_solved_for) return nullptr;
    auto made = make_solver(context.deck.section("solver"));
    made->set_observer(context.observer);
    return made;
  };
  std::vector<BoundaryConditions> const walls = walls_of(fields);
  if (auto coupled = stages.coupled_rate(walls, solver)) {
    std::string const method = context.deck.section("solver").choice("method");
    if (!coupled->is_symmetric() && need_of_solver(method) != OperatorNeed::nothing) {
      throw InputError("`solver.method`: " + method + " is for symmetric operators, which fields of `" +
                       declared_.name + "` with these rates do not have; `bicgstab` and `gmres` serve them");
    }
    linear.rate = std::move(coupled);
    return linear;
  }
  make_volume();
  auto of_fields = std::make_unique<RateOfFields<Real>>();
  std::vector<Diffusivity<Real>> const diffusivity = stages.diffusivity();
  for (std::size_t n = 0; n < fields.size(); ++n) {
    std::optional<RateOfField<Real>> rate;
    if (declared_.is_carried) {
      rate.emplace(carried(n, solver()));
    } else if (diffusivity[n].largest > 0 || diffusivity[n].of_cells != nullptr) {
      rate.emplace(mesh_, std::make_unique<DiffusionTerms<Real>>(mesh_, walls[n], diffusivity[n]), nullptr, volume_,
                   solver());
    }
    of_fields->add(declared_.in_own_section ? "solver" : "solver/" + declared_.fields[n], std::move(rate));
  }
  linear.rate = std::move(of_fields);
  return linear;
}

template <class Real>
RateOfField<Real> Evolution<Real>::carried(std::size_t n, std::unique_ptr<LinearSolver> solver) {
  transport::Description description = transport::describe<Real>(own_, options_of(n), mesh_);
  description.may_lack_diffusion = description.scheme == transport::Scheme::upwind;
  transport::Carried<Real> field = transport::carried<Real>(transport::Discretisation(std::move(description)),
                                                            treatment_ == Treatment::imex, volume_, std::move(solver));
  peclet_.push_back(field.peclet);
  is_solenoidal_ = field.is_solenoidal;
  return std::move(field.rate);
}

template <class Real>
std::vector<FieldBase const*> Evolution<Real>::fields() const {
  std::vector<FieldBase const*> all;
  for (auto const& field : state_.fields()) all.push_back(field.get());
  for (auto const& field : materials_) all.push_back(field.get());
  return all;
}

template <class Real>
std::string Evolution<Real>::called(std::string const& quantity, std::string const& field) const {
  return declared_.in_own_section ? quantity : quantity + "(" + field + ")";
}

/// Sums and extremes of the fields, as far as quantities need them.
template <class Real>
std::vector<FieldNumbers> Evolution<Real>::numbers() const {
  std::vector<FieldNeeds> needs(declared_.fields.size());
  bool is_any = false;
  for (FieldQuantity const& quantity : declared_.quantities) {
    using Kind = FieldQuantity::Kind;
    FieldNeeds& of_field = needs[index_of(quantity.field)];
    if (quantity.kind == Kind::energy || quantity.kind == Kind::peclet) continue;
    bool const is_sum = quantity.kind == Kind::mean || quantity.kind == Kind::integral;
    (is_sum ? of_field.sums : of_field.extremes) = true;
    is_any = true;
  }
  if (!is_any) return {};
  return measure<Real>(state_.fields(), needs, is_uniform(*mesh_) ? nullptr : &volume_->field());
}

template <class Real>
std::size_t Evolution<Real>::index_of(std::string const& field) const {
  auto const at = std::find(declared_.fields.begin(), declared_.fields.end(), field);
  return at == declared_.fields.end() ? 0 : static_cast<std::size_t>(at - declared_.fields.begin());
}

template <class Real>
Quantity Evolution<Real>::measured(FieldQuantity const& quantity, FieldNumbers const& u) const {
  std::string const name = called(kind_of(quantity), quantity.field);
  double const cell = is_uniform(*mesh_) ? cell_volume(*mesh_) : 1;
  switch (quantity.kind) {
    case FieldQuantity::Kind::minimum:
      return {name, u.least};
    case FieldQuantity::Kind::maximum:
      return {name, u.most};
    case FieldQuantity::Kind::magnitude:
      return {name, larger(std::abs(u.least), std::abs(u.most))};
    case FieldQuantity::Kind::energy:
      return {"energy", leapfrog_->energy(state_, time_) * cell_volume(*mesh_)};
    case FieldQuantity::Kind::peclet:
      return {name, peclet_[index_of(quantity.field)]};
    case FieldQuantity::Kind::mean:
      return {name, u.sum / (is_uniform(*mesh_) ? cells(*mesh_) : all_volume_)};
    case FieldQuantity::Kind::integral:
      break;
  }
  return {name, u.sum * cell, u.magnitude * cell};
}

template <class Real>
std::vector<Quantity> Evolution<Real>::quantities() const {
  std::vector<Quantity> all;
  if (integrals_) integrals_->add(state_, all);
  std::vector<FieldNumbers> const of_fields = numbers();
  for (FieldQuantity const& quantity : declared_.quantities) {
    std::size_t const n = index_of(quantity.field);
    Quantity found = measured(quantity, of_fields.empty() ? FieldNumbers{} : of_fields[n]);
    bool const is_left_out = quantity.kind == FieldQuantity::Kind::peclet && !std::isfinite(found.value);
    if (!is_left_out) all.push_back(std::move(found));
  }
  for (std::size_t n = 0; n < declared_.fields.size(); ++n) add_errors(n, all);
  if (falls_back_) all.push_back({"donor_cells", static_cast<double>(system_->donor_cells())});
  return all;
}

template <class Real>
void Evolution<Real>::add_errors(std::size_t field, std::vector<Quantity>& quantities) const {
  std::string const& name = declared_.fields[field];
  Options const own = options_of(field);
  if (!own.has("exact")) return;
  exact_->fill(own.expression("exact"), time_, 0, "`" + own.full_name("exact") + "`");
  Field<Real> const& u = *state_.fields()[field];
  bool const uniform = is_uniform(*mesh_);
  auto const [one, square] = uniform
                                 ? sums(ErrorTerms{}, u, std::as_const(*exact_))
                                 : sums(ErrorTimesVolume{}, u, std::as_const(*exact_), std::as_const(volume_->field()));
  double const all = uniform ? cells(*mesh_) : all_volume_;
  double largest = 0;
  for (Block const& block : mesh_->blocks()) {
    Reduction<Execution, Maximum> terms;
    sweep_reduce(execution(block), u.owned(block), Geometry<Real>{}, terms, no_outputs, LargestError{}, u.view(block),
                 std::as_const(*exact_).view(block));
    largest = larger(largest, terms.value());
  }
  // An only field has the quantities of physics with an operator of their own.
  if (!declared_.in_own_section) quantities.push_back({called("error_1", name), one / all});
  quantities.push_back({called("error_2", name), std::sqrt(square / all)});
  quantities.push_back({called("error_maximum", name), mesh_->communicator().max(largest)});
}

/// Whether there is no flux of a field at the walls of a law: none passes reflecting walls, except for the components
/// of vectors along their normal, such as the momentum, which the pressure changes.
template <class Real>
bool Evolution<Real>::is_closed_by_law(std::size_t field) const {
  LawWalls const walls = law_walls(own_, declared_.primitives, declared_.walls, declared_.fields.size(), *mesh_);
  for (int face = 0; face < 2 * mesh_->dimensions(); ++face) {
    LawWallKind const kind = walls[static_cast<std::size_t>(face)].kind;
    bool const is_normal = law_->is_reversed(field, face / 2);
    if (kind != LawWallKind::periodic && (kind != LawWallKind::reflecting || is_normal)) return false;
  }
  return true;
}

/// Whether the integral cannot change: no flux through walls, and no source.
template <class Real>
bool Evolution<Real>::is_closed(std::size_t n) const {
  Options const field = options_of(n);
  if (!given_sources(declared_.fields[n]).empty()) return false;
  if (declared_.is_carried && !(is_solenoidal_ && field.field("reaction").is_zero())) return false;
  if (law_ != nullptr) return field.field("source").is_zero() && is_closed_by_law(n);
  return lets_nothing_in(field, *mesh_);
}

/// Whether the energy of leapfrog, if that is a quantity, cannot change.
template <class Real>
bool Evolution<Real>::keeps_energy() const {
  auto const is_energy = [](FieldQuantity const& quantity) { return quantity.kind == FieldQuantity::Kind::energy; };
  if (std::none_of(declared_.quantities.begin(), declared_.quantities.end(), is_energy)) return false;
  if (!has_same_steps_ || (declared_.has_sponge && has_sponge(own_))) return false;
  Options const field = options_of(0);
  BoundaryConditions const walls = make_boundary_conditions(field.section("boundary"), *mesh_);
  return field.field("source").is_zero() && own_.list("sources").empty() && are_homogeneous(walls);
}

template <class Real>
std::vector<std::string> Evolution<Real>::conserved() const {
  std::vector<std::string> all;
  for (std::string const& name : declared_.conserved) {
    if (!is_closed(index_of(name))) continue;
    auto const is_it = [&](WeightedIntegral const& each) { return each.is_of(name); };
    auto const named = std::find_if(declared_.integrals.begin(), declared_.integrals.end(), is_it);
    all.push_back(named != declared_.integrals.end() ? named->name : called("integral", name));
  }
  if (keeps_energy()) all.emplace_back("energy");
  return all;
}

/// Throws if the fastest wave is NaN because a finite state is not physical.
template <class Real>
void Evolution<Real>::require_physical(double fastest) const {
  if (law_ == nullptr || std::isfinite(fastest)) return;
  if (auto const found = law_->unphysical(state_.fields(), names_of(declared_.primitives))) {
    throw NotANumberError("the state has left the physical range at time " + shortest_text(time_) + ": " + *found +
                          (falls_back_ ? ", which donor cells did not prevent; a shorter step may keep it there"
                                       : "; a shorter step or `reconstruction: donor_cell` may keep it there"));
  }
}

/// Repeats a step that ended with a state that is not physical. Says so the first time.
template <class Real>
void Evolution<Real>::repeat_with_donor_cells(Step const& step) {
  bool const is_first = system_->donor_cells() == 0;
  integrator_->undo(state_);
  system_->use_donor_cells(names_of(declared_.primitives));
  static_cast<void>(integrator_->advance(*system_, step.time, step.size, state_));
  std::optional<std::string> const found = system_->end_donor_cells();
  if (!is_first || !found) return;
  log_info("step " + std::to_string(step.number) + ", from time " + shortest_text(step.time) +
           ": the state would leave the physical range at " + *found +
           "; this and all such steps are repeated with donor cells there, which the quantity `donor_cells` counts");
}

/// The step of explicit Euler: the inverses of the steps of rates that act together add up.
template <class Real>
double Evolution<Real>::euler_step(std::optional<double> const& fastest) const {
  double rate = 0;
  if (fastest) {
    rate = *fastest;
    require_physical(rate);
  } else if (declared_.stable_step) {
    rate = 1 / declared_.stable_step(own_, *mesh_);
  }
  if (treatment_ == Treatment::explicit_ || !is_swept_) rate += system_->linear_euler_rate();
  return 1 / rate;
}

template <class Real>
double Evolution<Real>::stable_step() const {
  if (!known_step_) known_step_ = euler_step(system_->fastest(time_, state_));
  return integrator_->stable_factor() * *known_step_;
}

template <class Real>
std::vector<SolveReport> Evolution<Real>::take_step(Step const& step) {
  std::vector<SolveReport> reports;
  auto const work = [&] { reports = integrator_->advance(*system_, step.time, step.size, state_); };
  if (declared_.is_autonomous && integrator_->repeats() && system_->repeats()) {
    if (!system_->replay(state_, step.size, work)) integrator_->replayed(state_);
  } else {
    work();
  }
  return reports;
}

template <class Real>
std::vector<SolveReport> Evolution<Real>::advance(Step const& step) {
  // Where the derivative is the second one, its bound is that of the start.
  if (leapfrog_ == nullptr) {
    integrator_->set_euler_step(known_step_ ? *known_step_ : euler_step(system_->fastest(time_, state_)));
    known_step_.reset();
  }
  std::vector<SolveReport> reports = take_step(step);
  time_ = step.time + step.size;
  if (falls_back_) {
    // The next step needs this bound in any case.
    std::optional<double> fastest = system_->fastest(time_, state_);
    if (fastest && !std::isfinite(*fastest)) {
      repeat_with_donor_cells(step);
      fastest = system_->fastest(time_, state_);
    }
    known_step_ = euler_step(fastest);
  }
  receivers_.record(time_, state_.fields());
  return reports;
}

template <class Real>
bool Evolution<Real>::serialize(StateArchive& state) {
  system_->serialize(state, "", state_);
  state.number("time", time_);
  if (state.restores() && leapfrog_ == nullptr) known_step_.reset();
  system_->serialize_solvers(state);
  if (falls_back_ && state.has("donor_cells")) state.count("donor_cells", system_->donor_cells());
  if (integrator_name_.empty()) return integrator_->serialize(state, "", *system_);
  std::string const group = "integrator/" + integrator_name_;
  return !state.has(group) || integrator_->serialize(state, group, *system_);
}

template class Evolution<float>;
template class Evolution<double>;

}  // namespace halocline
