#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/plugin/physics.hpp"
#include "physics/equations/law_parts.hpp"
#include "physics/equations/law_requirements.hpp"
#include "physics/equations/law_sections.hpp"
#include "physics/equations/riemann.hpp"
#include "physics/equations/stage_sweeps.hpp"
#include "physics/equations/stages.hpp"
#include "physics/equations/sum_of_rates.hpp"
#include "physics/equations/weighted_integrals.hpp"

namespace halocline {

/// A reported number that is computed from one field of the state.
struct FieldQuantity {
  enum class Kind {
    mean,
    minimum,
    maximum,
    magnitude,  ///< the largest |u|, called a maximum
    energy,     ///< of leapfrog, whose fields have a second derivative in time
    peclet,     ///< of a field that a flow carries; left out where nothing diffuses
    integral
  };
  Kind kind;
  std::string field;
};

/// The values of a field on the owned cells of a block, x fastest, as its physics computes them from its options; the
/// same for any blocks. Nothing if these options give the field otherwise.
using ComputedCells = std::function<std::optional<std::vector<double>>(Options const& own, StructuredMesh const& mesh,
                                                                       Block const& block)>;

/// A field that the functor of a declared physics reads and no integrator changes.
struct DeclaredCoefficient {
  std::string name;
  int face_axis = -1;  ///< its values are on the faces along this axis; -1: on cells

  [[nodiscard]] bool is_on_faces() const { return face_axis >= 0; }
  /// Whether meshes with this many axes have such faces.
  [[nodiscard]] bool exists(int axes) const { return face_axis < axes; }
  [[nodiscard]] Centring centring() const {
    return is_on_faces() ? static_cast<Centring>(static_cast<int>(Centring::face_x) + face_axis) : Centring::cell;
  }
  /// What a deck gives for it; the option must have a value.
  [[nodiscard]] FieldSource source(Options const& own) const {
    return is_on_faces() ? FieldSource(own.expression(name)) : own.field(name);
  }
};

struct ComputedField {
  std::string name;
  ComputedCells cells;
};

/// The integral of a source in a single cell over that cell, as a function of time.
using PointStrength = std::function<std::function<double(double time)>(Options const& source, double start)>;

/// The longest stable step of explicit Euler with diffusion alone, 1 / (2 D sum of 1 / spacing^2), in the unit of time:
/// the largest eigenvalue of -D div grad is 4 D times that sum.
[[nodiscard]] double stable_diffusion_step(StructuredMesh const& mesh, double diffusivity);

/// The declaration of a physics du/dt = rate(u, …) on the cells of a mesh. Everything else is derived from it:
/// options, walls, integrators, steps, quantities, output. Each field of the state has a section of its own with its
/// initial value (`initial`), a term added to its rate (`source`), an exact solution (`exact`; error norms then become
/// quantities) and its walls (`boundary`).
///
///     PhysicsEntry decay() {
///       Equations equations("decay", "du/dt = -k u.");
///       equations.field("u", "What is left.");
///       equations.options().real("k", "Rate of decay.").above(0);
///       equations.stable_step([](Options const& own, StructuredMesh const&) { return 2 / own.real("k"); });
///       return equations.evolution<Decay>();
///     }
///     HALOCLINE_PLUGIN(decay);
///
/// `Decay<Real>` is a point functor that is constructed from the physics' own options, or from these and the mesh.
/// `shape` says what it may read, `fields` how many fields the state has (default one), and `operator()(at, u…)`
/// returns the rate of change at a point, as Values<Real, fields> if there are several fields. If it has `Values<Real,
/// fields> diffusivity() const`, in length^2 / time, the fields diffuse as well (div grad u, second order): integrators
/// may then solve for that part with the deck's solver, and it does not limit the step. `coefficient_fields` says how
/// many fields the functor reads besides (default none): operator() is then (at, u…, k…), and `diffusivity(k…)` may
/// depend on them, by div(D grad u) with the harmonic mean of D on the face between two cells. If it has `Matrix<Real,
/// fields> coupling() const`, in 1 / time, that matrix times the fields is added to their rate, and integrators solve
/// for all fields together; the source includes <halocline/coupling.hpp>. A functor that has nothing else needs no
/// operator(); fully implicit methods then advance it, too; if it is a `diffusivity` alone, also on stretched meshes.
/// `evolution<Reaction, Drift>()` adds the rates of several functors.
class Equations {
 public:
  /// \param name of the physics in decks, and of its section
  Equations(std::string name, std::string sentence);

  /// A flow carries all fields: -v . grad u + div(k grad u) - c u is added to the rate of each, with a velocity and a
  /// scheme that the deck gives for all, and k and c for each. Fully implicit methods solve for these terms, IMEX
  /// methods for diffusion. They are evaluated by operators, in passes of their own. Call it before all fields; their
  /// functor must then have no `diffusivity` or `coupling` of its own.
  Equations& transport();
  /// The functor returns second derivatives in time (`order_in_time = 2`): decks also give an `initial_rate` of each
  /// field, and steps are those of leapfrog. Its `fastest` is half of the square root of the largest eigenvalue, and
  /// evaluated once. Call it before all fields.
  Equations& second_order();
  /// Nothing that the functor returns depends on `at.time()`, so that launches of steps that repeat are replayed.
  Equations& autonomous();
  /// Declares a coefficient that is the speed of waves, above 0. The functor reads its square, which is written with
  /// the state where it varies.
  Equations& speed(std::string const& name, std::string const& sentence, std::string const& initial);
  /// Decks may give a layer along all faces that are not periodic, which absorbs waves of this speed (Sponge).
  Equations& sponge();
  /// For one field: replaces the list `sources` by one of other sources in single cells, which has a `position`
  /// (declare_position). `strength` returns the integral over its cell as a function of time, for a run that starts at
  /// `start`.
  Equations& point_sources(Section section, PointStrength strength);
  /// The kind of walls that decks do not give; neumann (with derivative 0) by default. Call it before all fields.
  Equations& usual_walls(BoundaryKind kind);
  /// Declares a field of the state; the functor receives them in this order. `initial` is the default initial value, an
  /// expression.
  Equations& field(std::string const& name, std::string const& sentence, std::string const& initial = "0");
  /// Declares the only field of the state. Its options stand in the section of the physics itself, and the names of its
  /// quantities lack it: "mean" for "mean(u)". Without `initial`, decks need not give the option.
  ///
  /// \param sentence of the option `initial`
  Equations& only_field(std::string const& name, std::string const& sentence, std::string const& initial = "");
  /// Declares a coefficient: a field that the deck gives, by an expression of position or a file, and that the functor
  /// reads after those of the state, in this order. `initial` is its default; if that is empty, decks need not give it.
  Equations& coefficient(std::string const& name, std::string const& sentence, std::string const& initial);
  /// The same on the faces along an axis (0, 1 or 2), where decks give an expression: `k[here]` is the value on the
  /// face before the point along that axis, `k[along<Axis, 1>]` that on the face behind it. Meshes without that axis
  /// lack it: functors for them read the coefficients that there are. Throws InputError for any other axis.
  Equations& face_coefficient(std::string const& name, int axis, std::string const& sentence,
                              std::string const& initial);
  /// Declares a field that does not change and that no rate reads: it is written with the state and may weight
  /// integrals.
  Equations& material(std::string const& name, ComputedCells cells);
  /// Values of a field of the state at the start, or of a coefficient, that the deck gives in another way.
  Equations& computed(std::string const& name, ComputedCells cells);
  /// Which mean of a diffusivity that depends on coefficients a face takes; the harmonic one by default.
  Equations& face_mean(std::function<FaceMean(Options const& own)> mean);
  /// Declares a field of a conservation law, for which decks give `primitive` instead. Fields that not all meshes have,
  /// such as the momentum along z, come last.
  Equations& conserved_field(std::string const& name, std::string const& sentence, Primitive primitive);
  /// The same for a field whose integral may change by a source or a balance of the law.
  Equations& balanced_field(std::string const& name, std::string const& sentence, Primitive primitive);
  /// Declares a kind of wall that the law fills by its `beyond` (conservation_law.hpp), with the index of this call.
  /// `wants` are the primitives, or substitutes of them, that decks give with it, as expressions of position and time,
  /// and `values` what they give besides. Call it after all fields. Throws InputError if one of `wants` is neither.
  Equations& wall(std::string name, std::string sentence, std::vector<std::string> wants = {},
                  std::vector<WallValue> values = {});
  /// The section of the physics, for options of its own.
  [[nodiscard]] Section& options() { return options_; }
  /// The longest stable step of explicit Euler, in the unit of time, without the limit of `diffusivity`: 2 / k for
  /// decay at rate k. Not needed if the functor has `fastest(at, u…)`, the inverse of that step at a point (k / 2): the
  /// step then follows from the present state.
  Equations& stable_step(std::function<double(Options const& own, StructuredMesh const& mesh)> step);
  /// Only walls and sources change the integral of this field.
  Equations& conserves(std::string const& field);
  /// Quantities, reported as "mean(u)", "minimum(u)", "maximum(u)" and "integral(u)".
  Equations& mean(std::string const& field) { return report(FieldQuantity::Kind::mean, field); }
  Equations& minimum(std::string const& field) { return report(FieldQuantity::Kind::minimum, field); }
  Equations& maximum(std::string const& field) { return report(FieldQuantity::Kind::maximum, field); }
  Equations& integral(std::string const& field) { return report(FieldQuantity::Kind::integral, field); }
  /// The largest |u|, reported as "maximum(u)".
  Equations& magnitude(std::string const& field) { return report(FieldQuantity::Kind::magnitude, field); }
  /// Half of the integral of (du/dt)^2 - u d2u/dt2 half a step ago, for a second derivative in time of one field, times
  /// `inertia(k…)` of the functor. Conserved where nothing damps, drives or leaves, and all steps have one length.
  Equations& energy();
  /// Of a field that a flow carries: the largest |v| distance / k between two cells.
  Equations& peclet(std::string const& field) { return report(FieldQuantity::Kind::peclet, field); }
  /// The integral of a field times a material, either of which may be empty: 1. Stands before all other quantities; if
  /// the field is conserved, its integral without a weight is the quantity that stays constant.
  Equations& integral(std::string const& name, std::string const& field, std::string const& weight);
  /// The method if a deck names none; ssp_rk3 by default.
  Equations& integrator(std::string name);

  /// \name What `halocline test-physics` checks
  /// @{
  Equations& order(int order);                             ///< in the cell width; 2 by default
  Equations& mirror_symmetric();                           ///< mirrored initial data have the mirrored solution
  Equations& axes_alike();                                 ///< the equations are the same along all axes
  Equations& vector(std::vector<std::string> components);  ///< fields that are the x, y and z components of a vector
  Equations& test_deck(std::string text);                  ///< a deck to be tested with; may be called again
  /// @}

  /// The physics whose rate is `Rate<Real>`, on meshes with as many axes as its shape has.
  template <template <class> class Rate>
  [[nodiscard]] PhysicsEntry evolution() const {
    static_assert(Rate<double>::shape.dimensions() > 0, "a rate that reads only its own point must name its Axes");
    constexpr int axes = Rate<double>::shape.dimensions();
    equation::Requirements<Rate<double>>::template hold<double, axes>();
    Traits const traits{Rate<double>::shape.radius,
                        equation::has_linear_part<double, Rate<double>>(),
                        equation::HasRate<double, Rate<double>, axes>,
                        equation::IsCoupled<Rate<double>>,
                        equation::order_in_time_of<Rate<double>>(),
                        equation::has_energy<double, Rate<double>>(),
                        {equation::fields_of<Rate<double>>()},
                        {equation::coefficients_of<Rate<double>>()}};
    return entry({axes}, traits, {make_stages<float, Rate<float>, axes>, make_stages<double, Rate<double>, axes>});
  }
  /// The physics whose rate is `Rate<Real, Axes>`, on meshes with any of these numbers of axes.
  template <template <class, int> class Rate, int... Axes>
  [[nodiscard]] PhysicsEntry evolution() const {
    (equation::Requirements<Rate<double, Axes>>::template hold<double, Axes>(), ...);
    Traits const traits{std::max({Rate<double, Axes>::shape.radius...}),
                        (equation::has_linear_part<double, Rate<double, Axes>>() || ...),
                        (equation::HasRate<double, Rate<double, Axes>, Axes> || ...),
                        (equation::IsCoupled<Rate<double, Axes>> || ...),
                        std::max({equation::order_in_time_of<Rate<double, Axes>>()...}),
                        (equation::has_energy<double, Rate<double, Axes>>() && ...),
                        {equation::fields_of<Rate<double, Axes>>()...},
                        {equation::coefficients_of<Rate<double, Axes>>()...}};
    return entry({Axes...}, traits,
                 {make_stages_of_axes<float, Rate, Axes...>, make_stages_of_axes<double, Rate, Axes...>});
  }

  /// The physics whose rate is the sum of several functors' rates, which one sweep evaluates. Each is constructed and
  /// called as if it was the only one: it has the same `fields`, `coefficient_fields` and `order_in_time` as the others
  /// and gets all fields and coefficients. `shape` is its own. `fastest` adds up, so all that have an operator() have
  /// it, or none; one of them may have `diffusivity`, and one `coupling`.
  template <template <class> class First, template <class> class Second, template <class> class... More>
  [[nodiscard]] PhysicsEntry evolution() const {
    return evolution<equation::Sum<First, Second, More...>::template Of>();
  }
  /// The same for functors by the number of axes; for more than three, give a SumOfRates.
  template <template <class, int> class First, template <class, int> class Second, int... Axes>
  [[nodiscard]] PhysicsEntry evolution() const {
    return evolution<equation::SumByAxes<First, Second>::template Of, Axes...>();
  }
  template <template <class, int> class First, template <class, int> class Second, template <class, int> class Third,
            int... Axes>
  [[nodiscard]] PhysicsEntry evolution() const {
    return evolution<equation::SumByAxes<First, Second, Third>::template Of, Axes...>();
  }

  /// The physics without any other rate than transport(). With `only_field`, decks without a section `time` give its
  /// steady state, of which the mean, the largest magnitude and the Péclet number are quantities.
  [[nodiscard]] PhysicsEntry transported() const;

  /// The physics whose conservation law is `Law<Real, Axes>` (conservation_law.hpp), on meshes with any of these
  /// numbers of axes. For each of them one source file contains `template struct LawParts<Law, 1>;`.
  template <template <class, int> class Law, int... Axes>
  [[nodiscard]] PhysicsEntry law() const {
    (equation::require_law<Law<double, Axes>, Axes>(), ...);
    using First = Law<double, 1>;
    constexpr LawTraits traits{HasContact<First, typename First::State, WaveBounds<double>>,
                               HasBalance<First, typename First::State>, HasWalls<First, typename First::State>,
                               HasRiemannFlux<First, typename First::State>};
    return law_entry({Axes...}, {static_cast<std::size_t>(Law<double, Axes>::fields)...}, traits,
                     {&LawParts<Law, Axes>::make_single...}, {&LawParts<Law, Axes>::make_double...});
  }

  /// The part of the declaration that an Evolution reads.
  struct Declared {
    std::string name;
    std::vector<std::string> fields;
    std::vector<DeclaredCoefficient> coefficients;
    std::vector<std::string> conserved;
    std::vector<FieldQuantity> quantities;
    std::vector<WeightedIntegral> integrals;
    std::vector<std::string> materials;
    std::vector<ComputedField> computed;
    std::function<FaceMean(Options const&)> face_mean;
    std::function<double(Options const&, StructuredMesh const&)> stable_step;
    std::string integrator = "ssp_rk3";
    std::vector<Primitive> primitives;  ///< of a law, in the order of the fields
    std::vector<OwnWall> walls;
    bool has_linear_part = false;   ///< a part of the rate can be solved for
    bool has_explicit_part = true;  ///< there is more than that
    bool in_own_section = false;    ///< the options of the only field are those of the physics
    bool is_carried = false;        ///< by a flow
    bool is_second_order = false;   ///< in time
    bool is_autonomous = false;
    bool has_sponge = false;                  ///< decks may give one
    std::string speed{};                      ///< the coefficient that is one; empty: none
    std::optional<Section> source_section{};  ///< of own sources in single cells
    PointStrength point_strength{};

    /// The section with the options of a field.
    [[nodiscard]] Options options_of(Options const& own, std::string const& field) const {
      return in_own_section ? own : own.section(field);
    }
  };

 private:
  template <class Real>
  using MakeStages = std::function<StagesOfLaw<Real>(Options const&, std::shared_ptr<StructuredMesh const>)>;
  template <class Real>
  using MakeLaw = StagesOfLaw<Real> (*)(Options const&, std::shared_ptr<StructuredMesh const> const&, LawWalls const&);
  struct AllStages {
    MakeStages<float> single;
    MakeStages<double> double_;
  };

  template <class Real, class Rate, int Axes>
  [[nodiscard]] static StagesOfLaw<Real> make_stages(Options const& own,
                                                     std::shared_ptr<StructuredMesh const> const& mesh) {
    return {std::make_unique<StageSweeps<Real, Rate, Axes>>(mesh, equation::make_rate<Rate>(own, *mesh)), nullptr};
  }
  template <class Real, template <class, int> class Rate, int... Axes>
  [[nodiscard]] static StagesOfLaw<Real> make_stages_of_axes(Options const& own,
                                                             std::shared_ptr<StructuredMesh const> const& mesh) {
    StagesOfLaw<Real> stages;
    ((mesh->dimensions() == Axes ? void(stages = make_stages<Real, Rate<Real, Axes>, Axes>(own, mesh)) : void()), ...);
    return stages;
  }

  void declare_field(Section& section) const;
  /// Throws InputError, with `text`, unless it holds.
  void require(bool holds, std::string const& text) const;
  void require_no_field(std::string const& declaration) const;
  /// Throws InputError unless each functor reads as many coefficients as meshes with its number of axes have.
  void require_coefficients(std::vector<int> const& dimensions, std::vector<int> const& read) const;
  Equations& report(FieldQuantity::Kind kind, std::string const& field);
  void require_field(std::string const& field) const;
  /// Static properties of the functor.
  struct Traits {
    int radius;
    bool has_linear_part;
    bool has_rate;
    bool is_coupled;
    int order_in_time;
    bool has_energy;
    std::vector<int> fields;        ///< for each number of axes
    std::vector<int> coefficients;  ///< as well
  };
  [[nodiscard]] PhysicsEntry entry(std::vector<int> dimensions, Traits const& traits, AllStages const& stages) const;
  /// \param fields number of fields for each of `dimensions`
  [[nodiscard]] PhysicsEntry law_entry(std::vector<int> dimensions, std::vector<std::size_t> const& fields,
                                       LawTraits const& traits, std::vector<MakeLaw<float>> const& single,
                                       std::vector<MakeLaw<double>> const& double_) const;
  /// The part of a law's declaration that applies on a mesh with this many fields.
  [[nodiscard]] static Declared reduced(Declared declared, std::size_t fields);

  Section options_;
  Declared declared_;
  BoundaryKind usual_walls_ = BoundaryKind::neumann;
  Promises promises_;
};

}  // namespace halocline
