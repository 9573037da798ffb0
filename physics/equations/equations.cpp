#include "physics/equations/equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "framework/grid/walls.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/evolution.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/sponge.hpp"
#include "physics/equations/transport/section.hpp"
#include "physics/equations/transport/steady.hpp"

namespace halocline {
namespace {

std::vector<std::string> names_of(std::vector<DeclaredCoefficient> const& coefficients, int axes) {
  std::vector<std::string> names;
  for (DeclaredCoefficient const& each : coefficients) {
    if (each.exists(axes)) names.push_back(each.name);
  }
  return names;
}

std::string listed(std::vector<std::string> const& names) {
  std::string all;
  for (std::string const& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "none" : all;
}

/// Makes an option optional if it has no default.
void set_default(Option& option, std::string const& initial) {
  if (initial.empty())
    option.optional();
  else
    option.defaults_to(initial);
}

/// Declares sources and receivers in single cells.
///
/// \param own what the physics declares for its sources; empty: nothing
void declare_points(Section& options, std::vector<std::string> const& fields,
                    std::optional<Section> const& own = std::nullopt) {
  if (own) {
    options.list(*own);
  } else {
    Section source("sources", "Cells whose rate of change has a further term.");
    declare_position(source);
    source.choice("field", "The field whose rate it is.", fields).defaults_to(fields.front());
    source.expression("strength", "Integral of the term over its cell, an expression of t.").defaults_to("1");
    options.list(std::move(source));
  }
  options.list(receiver_section(fields.size() == 1 ? fields.front() : "every field"));
}

void validate_points(Options const& own, Options const& mesh, Mistakes& mistakes) {
  validate_positions(own.list("sources"), mesh, mistakes);
  validate_receivers(own.list("receivers"), mesh, mistakes);
}

/// Of a physics whose rate is that of operators and sources.
template <class Real>
class NoSweeps final : public Stages<Real> {
 public:
  [[nodiscard]] Shape shape() const override { return point; }
  [[nodiscard]] StageForms forms() const override { return {}; }
  void sweep(Block const&, IndexRange const&, StageArguments<Real> const&) const override {
    throw DefectError("a physics without a functor was swept");
  }
  [[nodiscard]] std::optional<double> fastest(double, Fields<Real> const&) const override { return std::nullopt; }
  [[nodiscard]] bool has_fastest() const override { return false; }
  [[nodiscard]] std::vector<Diffusivity<Real>> diffusivity() const override { return {}; }
  [[nodiscard]] bool has_explicit_part() const override { return false; }
};

template <class Real>
StagesOfLaw<Real> no_sweeps(Options const&, std::shared_ptr<StructuredMesh const> const&) {
  return {std::make_unique<NoSweeps<Real>>(), nullptr};
}

}  // namespace

double stable_diffusion_step(StructuredMesh const& mesh, double diffusivity) {
  double sum = 0;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) sum += 1 / std::pow(mesh.axis(axis).spacing(), 2);
  return diffusivity > 0 ? 1 / (2 * diffusivity * sum) : std::numeric_limits<double>::infinity();
}

Equations::Equations(std::string name, std::string sentence) : options_(name, std::move(sentence)) {
  declared_.name = std::move(name);
}

/// The options of a field besides its initial values.
void Equations::declare_field(Section& section) const {
  if (declared_.is_second_order)
    section.field("initial_rate", "Initial values of the derivative in time.").defaults_to(std::string("0"));
  if (declared_.is_carried) transport::declare_carried(section);
  section
      .field("source", declared_.is_second_order ? "Source term, added to the second derivative in time."
                                                 : "Source term, added to the rate of change.")
      .defaults_to(std::string("0"));
  section.expression("exact", "Exact solution, if known; error norms are then reported as quantities.").optional();
  section.section(declare_boundary_section(usual_walls_));
}

void Equations::require_no_field(std::string const& declaration) const {
  require(declared_.fields.empty(), "`" + declaration + "` must come before all fields");
}

Equations& Equations::transport() {
  require_no_field("transport");
  transport::declare_flow(options_);
  declared_.is_carried = true;
  return *this;
}

Equations& Equations::second_order() {
  require_no_field("second_order");
  declared_.is_second_order = true;
  return *this;
}

Equations& Equations::autonomous() {
  declared_.is_autonomous = true;
  return *this;
}

Equations& Equations::speed(std::string const& name, std::string const& sentence, std::string const& initial) {
  declared_.speed = name;
  return coefficient(name, sentence, initial);
}

Equations& Equations::sponge() {
  options_.section(sponge_section());
  declared_.has_sponge = true;
  return *this;
}

Equations& Equations::point_sources(Section section, PointStrength strength) {
  declared_.source_section = std::move(section);
  declared_.point_strength = std::move(strength);
  return *this;
}

Equations& Equations::energy() {
  declared_.quantities.push_back({FieldQuantity::Kind::energy, ""});
  return *this;
}

Equations& Equations::usual_walls(BoundaryKind kind) {
  usual_walls_ = kind;
  return *this;
}

Equations& Equations::field(std::string const& name, std::string const& sentence, std::string const& initial) {
  Section& section = options_.section(name, sentence);
  set_default(section.field("initial", "Initial values."), initial);
  declare_field(section);
  declared_.fields.push_back(name);
  return *this;
}

Equations& Equations::only_field(std::string const& name, std::string const& sentence, std::string const& initial) {
  set_default(options_.field("initial", sentence), initial);
  declare_field(options_);
  declared_.fields.push_back(name);
  declared_.in_own_section = true;
  return *this;
}

Equations& Equations::coefficient(std::string const& name, std::string const& sentence, std::string const& initial) {
  set_default(options_.field(name, sentence), initial);
  declared_.coefficients.push_back({name});
  return *this;
}

Equations& Equations::face_coefficient(std::string const& name, int axis, std::string const& sentence,
                                       std::string const& initial) {
  require(axis >= 0 && axis < 3, "the faces of `" + name + "` are along axis 0, 1 or 2, not " + std::to_string(axis));
  set_default(options_.expression(name, sentence), initial);
  declared_.coefficients.push_back({name, axis});
  return *this;
}

Equations& Equations::material(std::string const& name, ComputedCells cells) {
  declared_.materials.push_back(name);
  return computed(name, std::move(cells));
}

Equations& Equations::computed(std::string const& name, ComputedCells cells) {
  declared_.computed.push_back({name, std::move(cells)});
  return *this;
}

Equations& Equations::face_mean(std::function<FaceMean(Options const& own)> mean) {
  declared_.face_mean = std::move(mean);
  return *this;
}

Equations& Equations::integral(std::string const& name, std::string const& field, std::string const& weight) {
  if (!field.empty()) require_field(field);
  declared_.integrals.push_back({name, field, weight});
  return *this;
}

Equations& Equations::conserved_field(std::string const& name, std::string const& sentence, Primitive primitive) {
  return balanced_field(name, sentence, std::move(primitive)).conserves(name);
}

Equations& Equations::balanced_field(std::string const& name, std::string const& sentence, Primitive primitive) {
  Section& section = options_.section(name, sentence);
  section.field("source", "Source term, added to the rate of change.").defaults_to(std::string("0"));
  section.expression("exact", "Exact solution, if known; error norms are then reported as quantities.").optional();
  declared_.fields.push_back(name);
  declared_.primitives.push_back(std::move(primitive));
  return *this;
}

Equations& Equations::wall(std::string name, std::string sentence, std::vector<std::string> wants,
                           std::vector<WallValue> values) {
  for (std::string const& primitive : wants) {
    auto const is_it = [&](Primitive const& each) { return each.name == primitive || each.other_name == primitive; };
    if (std::any_of(declared_.primitives.begin(), declared_.primitives.end(), is_it)) continue;
    std::string text = "physics `" + declared_.name;
    text.append("`: `").append(name).append("` needs `").append(primitive);
    throw InputError(text.append("`, which is not the primitive of any field"));
  }
  declared_.walls.push_back({std::move(name), std::move(sentence), std::move(wants), std::move(values)});
  return *this;
}

Equations& Equations::stable_step(std::function<double(Options const&, StructuredMesh const&)> step) {
  declared_.stable_step = std::move(step);
  return *this;
}

void Equations::require_field(std::string const& field) const {
  if (std::find(declared_.fields.begin(), declared_.fields.end(), field) != declared_.fields.end()) return;
  throw InputError("physics `" + declared_.name + "`: there is no field `" + field + "`; the declared fields are " +
                   listed(declared_.fields));
}

Equations& Equations::conserves(std::string const& field) {
  require_field(field);
  declared_.conserved.push_back(field);
  auto const is_it = [&](WeightedIntegral const& each) { return each.is_of(field); };
  if (std::any_of(declared_.integrals.begin(), declared_.integrals.end(), is_it)) return *this;
  return integral(field);
}

Equations& Equations::report(FieldQuantity::Kind kind, std::string const& field) {
  require_field(field);
  auto const is_same = [&](FieldQuantity const& known) { return known.kind == kind && known.field == field; };
  bool const is_known = std::any_of(declared_.quantities.begin(), declared_.quantities.end(), is_same);
  if (!is_known) declared_.quantities.push_back({kind, field});
  return *this;
}

Equations& Equations::integrator(std::string name) {
  declared_.integrator = std::move(name);
  return *this;
}

Equations& Equations::order(int order) {
  promises_.order = order;
  return *this;
}
Equations& Equations::mirror_symmetric() {
  promises_.mirror_symmetric = true;
  return *this;
}
Equations& Equations::axes_alike() {
  promises_.axes_alike = true;
  return *this;
}
Equations& Equations::vector(std::vector<std::string> components) {
  std::vector<std::string> primitives;
  for (std::string const& component : components) {
    require_field(component);
    auto const at = std::find(declared_.fields.begin(), declared_.fields.end(), component) - declared_.fields.begin();
    if (!declared_.primitives.empty()) primitives.push_back(declared_.primitives[static_cast<std::size_t>(at)].name);
  }
  // The primitives that a law starts from are vector components, too.
  if (!primitives.empty() && primitives != components) promises_.vectors.push_back(std::move(primitives));
  promises_.vectors.push_back(std::move(components));
  return *this;
}
Equations& Equations::test_deck(std::string text) {
  promises_.decks.push_back(std::move(text));
  return *this;
}

void Equations::require_coefficients(std::vector<int> const& dimensions, std::vector<int> const& read) const {
  for (std::size_t n = 0; n < read.size(); ++n) {
    std::vector<std::string> const there = names_of(declared_.coefficients, dimensions[n]);
    std::string text = "its functor has " + std::to_string(read[n]);
    text.append(" coefficients (`coefficient_fields`, by default 0), but the declared coefficients are ");
    text += listed(there);
    if (there.size() < declared_.coefficients.size())
      text.append(" on meshes of ")
          .append(std::to_string(dimensions[n]))
          .append(dimensions[n] == 1 ? " axis" : " axes");
    require(read[n] == static_cast<int>(there.size()), text);
  }
  for (ComputedField const& each : declared_.computed) {
    auto const is_it = [&](DeclaredCoefficient const& of) { return of.is_on_faces() && of.name == each.name; };
    require(std::none_of(declared_.coefficients.begin(), declared_.coefficients.end(), is_it),
            "`computed` gives values of cells, but `" + each.name + "` is on faces");
  }
}

PhysicsEntry Equations::entry(std::vector<int> dimensions, Traits const& traits, AllStages const& stages) const {
  for (int const fields : traits.fields) {
    if (fields == static_cast<int>(declared_.fields.size())) continue;
    throw InputError("physics `" + declared_.name + "`: its functor has " + std::to_string(fields) +
                     " fields (`fields`, by default 1), but the declared fields are " + listed(declared_.fields));
  }
  require_coefficients(dimensions, traits.coefficients);
  if (declared_.face_mean && traits.has_rate) {
    throw InputError("physics `" + declared_.name + "`: a functor with operator() takes the harmonic mean on faces");
  }
  require(!declared_.is_carried || !traits.has_linear_part,
          "a functor of fields that a flow carries (`transport`) has no `diffusivity` or `coupling`; decks give a "
          "diffusivity for each field");
  bool const is_second_order = traits.order_in_time == 2;
  auto const reports = [&](FieldQuantity::Kind kind) {
    return std::any_of(declared_.quantities.begin(), declared_.quantities.end(),
                       [&](FieldQuantity const& quantity) { return quantity.kind == kind; });
  };
  require(!reports(FieldQuantity::Kind::energy) || traits.has_energy,
          "`energy` needs a functor with `order_in_time = 2`, one field and `double inertia(k...) const`");
  require(!reports(FieldQuantity::Kind::peclet) || declared_.is_carried, "`peclet` needs `transport`");
  require(!declared_.has_sponge || (is_second_order && !declared_.speed.empty()),
          "`sponge` needs `second_order` and `speed`");
  require(!declared_.source_section || declared_.fields.size() == 1, "`point_sources` are for one field");
  require(is_second_order == declared_.is_second_order,
          "`second_order` and a functor with `order_in_time = 2` need each other");
  require(!declared_.is_carried || traits.order_in_time == 1, "a flow (`transport`) carries what has a rate of change");
  Section options = options_;
  declare_points(options, declared_.fields, declared_.source_section);
  Declared declared = declared_;
  int const ghosts = std::max(1, traits.radius);
  declared.has_linear_part = traits.has_linear_part || declared_.is_carried;
  declared.has_explicit_part = traits.has_rate;
  std::vector<MeshKind> meshes{MeshKind::uniform};
  if (!traits.has_rate && !traits.is_coupled) meshes.push_back(MeshKind::stretched);
  auto const validate = [declared](Options const& deck, Mistakes& mistakes) {
    Options const own = deck.section(declared.name);
    validate_points(own, deck.section("mesh"), mistakes);
    int const axes = static_cast<int>(deck.section("mesh").entries("cells"));
    for (DeclaredCoefficient const& coefficient : declared.coefficients) {
      std::string const& name = coefficient.name;
      if (!coefficient.exists(axes) && own.given(name)) add_mistake(own, name, "the mesh has no such axis", mistakes);
      if (!coefficient.exists(axes) || !own.has(name)) continue;
      FieldSource const given = coefficient.source(own);
      if (!given.depends_on_time()) continue;
      add_mistake(own, name, "'" + given.text() + "' depends on t, but coefficients are constant in time", mistakes);
    }
    if (!declared.speed.empty()) {
      FieldSource const speed = own.field(declared.speed);
      if (speed.is_constant() && !(speed.constant() > 0))
        add_mistake(own, declared.speed, "'" + speed.text() + "' is not above 0", mistakes);
    }
    std::vector<Options> fields;
    for (std::string const& field : declared.fields) fields.push_back(declared.options_of(own, field));
    if (declared.is_carried) transport::validate_transport(deck, own, fields, declared.integrator, mistakes);
    for (Options const& field : fields) {
      Options const boundary = field.section("boundary");
      if (declared.has_explicit_part && !declared.is_carried)
        validate_boundary(boundary, deck.section("mesh"), mistakes);
      else
        validate_walls(boundary, deck.section("mesh"), Centring::cell, mistakes);
    }
  };
  auto const create = [declared, stages](PhysicsContext const& context) -> std::unique_ptr<Physics> {
    Options const own = context.deck.section(declared.name);
    Declared there = declared;
    std::erase_if(there.coefficients,
                  [&](DeclaredCoefficient const& each) { return !each.exists(context.mesh->dimensions()); });
    if (context.precision == Precision::single) {
      return std::make_unique<Evolution<float>>(context, there, stages.single(own, context.mesh));
    }
    return std::make_unique<Evolution<double>>(context, there, stages.double_(own, context.mesh));
  };
  return {.name = declared.name,
          .sentence = options_.sentence(),
          .options = std::move(options),
          .time_dependence = TimeDependence::evolving,
          .dimensions = std::move(dimensions),
          .meshes = std::move(meshes),
          .ghosts = [ghosts](Options const&) { return ghosts; },
          .steps_by_itself = traits.order_in_time != 1,
          .rate_parts = {.explicit_part = declared.has_explicit_part, .implicit_part = declared.has_linear_part},
          .integrator = traits.order_in_time != 1 ? "" : declared.integrator,
          .validate = validate,
          .create = create,
          .promises = promises_};
}

void Equations::require(bool holds, std::string const& text) const {
  if (!holds) throw InputError("physics `" + declared_.name + "`: " + text);
}

PhysicsEntry Equations::transported() const {
  require(declared_.is_carried, "`transported` needs `transport`");
  require(!declared_.source_section, "`point_sources` need a functor");
  Traits const traits{.radius = 1,
                      .has_linear_part = false,
                      .has_rate = false,
                      .is_coupled = false,
                      .order_in_time = 1,
                      .has_energy = false,
                      .fields = {static_cast<int>(declared_.fields.size())},
                      .coefficients = {0, 0, 0}};
  PhysicsEntry all = entry({1, 2, 3}, traits, {no_sweeps<float>, no_sweeps<double>});
  if (!declared_.in_own_section) return all;
  all.time_dependence = TimeDependence::by_deck;
  std::string const name = declared_.name;
  all.validate = [name, of_any = all.validate](Options const& deck, Mistakes& mistakes) {
    of_any(deck, mistakes);
    if (!deck.given("time")) transport::validate_steady(deck.section(name), deck.section("mesh"), mistakes);
  };
  all.create = [name, field = declared_.fields.front(), evolving = all.create](PhysicsContext const& context) {
    return context.deck.given("time") ? evolving(context) : transport::make_steady(context, name, field);
  };
  return all;
}

Equations::Declared Equations::reduced(Declared declared, std::size_t fields) {
  std::vector<std::string> const absent(declared.fields.begin() + static_cast<std::ptrdiff_t>(fields),
                                        declared.fields.end());
  auto const is_absent = [&](std::string const& name) {
    return std::find(absent.begin(), absent.end(), name) != absent.end();
  };
  declared.fields.resize(fields);
  declared.primitives.resize(fields);
  std::erase_if(declared.conserved, is_absent);
  std::erase_if(declared.quantities, [&](FieldQuantity const& quantity) { return is_absent(quantity.field); });
  return declared;
}

PhysicsEntry Equations::law_entry(std::vector<int> dimensions, std::vector<std::size_t> const& fields,
                                  LawTraits const& traits, std::vector<MakeLaw<float>> const& single,
                                  std::vector<MakeLaw<double>> const& double_) const {
  Section options = options_;
  if (traits.has_walls == declared_.walls.empty()) {
    throw InputError("physics `" + declared_.name +
                     "`: a law with `beyond` needs walls (`wall`), and no other law may have them");
  }
  if (!declared_.coefficients.empty()) {
    throw InputError("physics `" + declared_.name + "`: a conservation law has no coefficients, but " +
                     listed(names_of(declared_.coefficients, 3)) + " are declared");
  }
  require(!declared_.source_section && !declared_.is_carried && !declared_.is_second_order,
          "a conservation law has neither `transport`, `second_order` nor `point_sources`");
  declare_law(options, declared_.primitives, declared_.walls, traits);
  declare_points(options, declared_.fields);
  auto const place = [dimensions](std::size_t axes) {
    auto const at = std::find(dimensions.begin(), dimensions.end(), static_cast<int>(axes));
    return static_cast<std::size_t>(at - dimensions.begin());
  };
  auto const validate = [declared = declared_, fields, place](Options const& deck, Mistakes& mistakes) {
    Options const mesh = deck.section("mesh");
    Options const own = deck.section(declared.name);
    std::size_t const at = place(mesh.entries("cells"));
    if (at >= fields.size()) return;
    validate_law(own, declared.primitives, declared.walls, fields[at], mesh, mistakes);
    validate_points(own, mesh, mistakes);
    for (Options const& source : own.list("sources")) {
      auto const named = std::find(declared.fields.begin(), declared.fields.end(), source.choice("field"));
      if (named - declared.fields.begin() < static_cast<std::ptrdiff_t>(fields[at])) continue;
      add_mistake(source, "field", "the mesh has no such axis", mistakes);
    }
    for (std::size_t n = fields[at]; n < declared.fields.size(); ++n) {
      if (own.given(declared.fields[n])) add_mistake(own, declared.fields[n], "the mesh has no such axis", mistakes);
    }
    validate_law_method(own, deck.section("time"), declared.integrator, mistakes);
  };
  auto const create = [declared = declared_, fields, place, single,
                       double_](PhysicsContext const& context) -> std::unique_ptr<Physics> {
    Options const own = context.deck.section(declared.name);
    std::size_t const at = place(static_cast<std::size_t>(context.mesh->dimensions()));
    Declared const there = reduced(declared, fields[at]);
    LawWalls const walls = law_walls(own, there.primitives, there.walls, fields[at], *context.mesh);
    if (context.precision == Precision::single) {
      return std::make_unique<Evolution<float>>(context, there, single[at](own, context.mesh, walls));
    }
    return std::make_unique<Evolution<double>>(context, there, double_[at](own, context.mesh, walls));
  };
  return {.name = declared_.name,
          .sentence = options.sentence(),
          .options = options,
          .time_dependence = TimeDependence::evolving,
          .dimensions = std::move(dimensions),
          .ghosts = [name = declared_.name](Options const& deck) { return law_ghosts(deck.section(name)); },
          .rate_parts = {.explicit_part = true, .implicit_part = false, .has_waves = true},
          .integrator = declared_.integrator,
          .validate = validate,
          .create = create,
          .promises = promises_};
}

}  // namespace halocline
