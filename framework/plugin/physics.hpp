#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/deck_format.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/operator/evolving_system.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/plugin/promises.hpp"
#include "framework/runtime/index.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

class CarriedState;
class FieldBase;
class PointSet;
class StructuredMesh;

/// A number that a physics reports about its whole mesh, or all of its points: a sum, a norm, an extreme.
struct Quantity {
  std::string name;
  double value = 0;
  double magnitude = 0;  ///< of a conserved sum whose terms may cancel: about the sum of their absolute values
};

/// What single points of a mesh have recorded, step by step.
struct Traces {
  std::vector<std::string> names;  ///< of the points
  std::vector<double> times;
  std::vector<double> values;  ///< by time, then point
};

/// One step in time, from `time` to `time + size`. A stationary physics gets a single step of size zero.
struct Step {
  Index number = 1;  ///< 1 for the first
  double time = 0;
  double size = 0;
};

/// A physics on one mesh or set of points: its state, how it advances and what it declares about itself. What it
/// declares decides what it gets: fields are written, quantities are reported and recorded, conserved ones are watched,
/// the stable step limits an explicit run. Every method is collective over the ranks of the mesh. The GuardedPhysics
/// around that of a plugin calls each of them: a method that is added here is added there.
class Physics {
 public:
  virtual ~Physics() = default;
  Physics(Physics const&) = delete;
  Physics& operator=(Physics const&) = delete;

  /// The fields of the state that snapshots hold; of points, one of them says where they lie
  /// (FieldDescription::position). They live as long as the physics.
  [[nodiscard]] virtual std::vector<FieldBase const*> fields() const = 0;
  /// Named numbers of the present state, always the same ones in the same order; with an exact solution, error norms
  /// are among them.
  [[nodiscard]] virtual std::vector<Quantity> quantities() const = 0;
  /// Names of the quantities that must not change in this run, with its boundaries and its sources: the run records how
  /// far they drift, and warns of what rounding and solves do not explain.
  [[nodiscard]] virtual std::vector<std::string> conserved() const { return {}; }
  /// What the physics has recorded at points since it was last asked; always the same names in the same order. All
  /// ranks get all of it.
  [[nodiscard]] virtual Traces take_traces() { return {}; }
  /// The longest step that is stable from the present state, in the unit of time; infinite for implicit methods.
  [[nodiscard]] virtual double stable_step() const;
  /// The step that a method which controls its own error wants to take next from the present state; infinite for all
  /// others, whose steps the deck chooses. The next step is the least over the ranks, or shorter where the run or an
  /// output asks for a time.
  [[nodiscard]] virtual double suggested_step() const;
  /// The steps so far of a method that controls its own error, which may have taken several in one `advance`, and taken
  /// some back; nothing of all others.
  [[nodiscard]] virtual std::optional<StepCount> step_count() const { return std::nullopt; }

  /// Moves the state over `step`; returns what each linear solve on the way did.
  [[nodiscard]] virtual std::vector<SolveReport> advance(Step const& step) = 0;

  /// Tells everything that is carried from one step to the next and does not follow from the deck, or of a stationary
  /// physics its solution: what checkpoints hold, and what is set where a run goes on from one. Returns false where
  /// that is not told, as it is if not overridden: such a run has no checkpoints.
  [[nodiscard]] virtual bool carry(CarriedState& /*state*/) { return false; }

 protected:
  Physics() = default;
};

/// What a physics is made from.
struct PhysicsContext {
  Options deck;  ///< the whole judged deck: `deck.section("transport")`, `deck.section("solver")`, …
  std::shared_ptr<StructuredMesh const> mesh;  ///< null where the physics lives on points
  std::shared_ptr<PointSet const> points;      ///< null where it lives on a mesh
  Precision precision = Precision::double_;
  IterationObserver observer;  ///< may be empty
};

enum class TimeDependence {
  stationary,
  evolving,
  by_deck  ///< evolving where the deck has a section `time`
};

/// A mesh is uniform if the cells of each axis have one width, and stretched if those of any axis have not.
enum class MeshKind { uniform, stretched };

/// For PhysicsEntry::create: a physics that is a class template of the type of its numbers.
template <template <class Real> class OfPrecision>
[[nodiscard]] std::unique_ptr<Physics> create_physics(PhysicsContext const& context) {
  if (context.precision == Precision::single) return std::make_unique<OfPrecision<float>>(context);
  return std::make_unique<OfPrecision<double>>(context);
}

/// Bytes that a physics on points takes at most for each of them.
struct BytesOfPoint {
  double shared = 0;         ///< where it lies, on one of the blocks
  double state = 0;          ///< of these, what fields() holds
  double carried = 0;        ///< in a copy of what Physics::carry tells
  double in_each_block = 0;  ///< on every block beside that; there is one for each device of a rank
};

/// Everything the framework knows of a physics before it runs. A plugin is one function that returns one of these.
struct PhysicsEntry {
  std::string name;      ///< what a deck chooses it by, and the name of its section
  std::string sentence;  ///< what it solves
  Section options;       ///< its section of the deck; `options.name()` is `name`
  TimeDependence time_dependence = TimeDependence::evolving;
  std::vector<Precision> precisions{Precision::single, Precision::double_};  ///< those it is built for
  std::vector<int> dimensions{1, 2, 3};             ///< numbers of axes of the meshes that it is written for
  std::vector<MeshKind> meshes{MeshKind::uniform};  ///< kinds of meshes that it is written for
  /// The widest ghosts of its fields in a run of a judged deck: no block may have fewer layers of cells, where another
  /// one or its own other end lies beyond. Empty: one layer.
  std::function<int(Options const& deck)> ghosts = {};
  /// How many points a run of a judged deck has, for a physics of bodies or particles, which has no mesh and whose
  /// decks give none. Throws InputError. Empty: the physics lives on a mesh.
  std::function<Index(Options const& deck)> points = {};
  /// Where the fields lie whose values a deck may give as files (Section::field). Empty: on cells.
  std::function<Centring(Options const& deck)> centring = {};
  /// Whether the physics of a judged deck suggests its steps (Physics::suggested_step), so that the deck needs to give
  /// none. Empty: it does not.
  std::function<bool(Options const& deck)> suggests_steps = {};
  bool steps_by_itself = false;  ///< needs no time integrator and no solver: a deck must not choose any
  RateParts rate_parts = {};     ///< of an evolving physics that integrators step
  std::string integrator = {};   ///< the one of a deck that chooses none, for the same
  /// Judges what spans sections (the mesh of a deck against this physics' boundaries); may be empty.
  Section::Check judge;
  std::function<std::unique_ptr<Physics>(PhysicsContext const&)> create;
  /// What a run of a judged deck takes for each of its points; of a physics on a mesh a run finds that out. Empty: not
  /// known.
  std::function<BytesOfPoint(Options const& deck)> bytes_of_point = {};
  /// Formats that decks of this physics may have beside YAML. Where several recognise a text, that of the physics which
  /// was registered first reads it: Halocline's own, then those of plugins in the order of the command line.
  std::vector<DeckFormat> deck_formats = {};
  Promises promises = {};  ///< what `halocline test-physics` holds it to
};

/// Whether a run of this deck moves through time.
[[nodiscard]] bool evolves(PhysicsEntry const& entry, Options const& deck);

}  // namespace halocline
