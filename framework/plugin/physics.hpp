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

class StateArchive;
class FieldBase;
class PointSet;
class StructuredMesh;

/// A scalar that a physics reports for its whole mesh or all of its points: a sum, a norm, an extremum.
struct Quantity {
  std::string name;
  double value = 0;
  double magnitude = 0;  ///< for a conserved sum whose terms may cancel: about the sum of their absolute values
};

/// Values recorded at single points of a mesh, step by step.
struct Traces {
  std::vector<std::string> names;  ///< of the points
  std::vector<double> times;
  std::vector<double> values;  ///< point index fastest, then time
};

/// One step in time, from `time` to `time + size`. A stationary physics gets a single step of size zero.
struct Step {
  Index number = 1;  ///< 1 for the first
  double time = 0;
  double size = 0;
};

/// A physics on one mesh or set of points: its state, its time step and what it declares. The framework derives output
/// and checks from the declarations: fields are written, quantities reported and recorded, conserved ones monitored,
/// and the stable step limits an explicit run. Every method is collective over the ranks of the mesh. GuardedPhysics
/// forwards every method for plugins: a method added here must be added there.
class Physics {
 public:
  virtual ~Physics() = default;
  Physics(Physics const&) = delete;
  Physics& operator=(Physics const&) = delete;

  /// The fields of the state in snapshots, on cells or nodes; for points, one of them has the positions
  /// (FieldDescription::position). They exist from the beginning, and live as long as the physics.
  [[nodiscard]] virtual std::vector<FieldBase const*> fields() const = 0;
  /// Named scalars of the present state, always the same ones in the same order; with an exact solution they include
  /// error norms.
  [[nodiscard]] virtual std::vector<Quantity> quantities() const = 0;
  /// Names of the quantities that stay constant in this run with its boundaries and sources. The run records their
  /// drift, and warns if rounding and solver tolerances do not explain it.
  [[nodiscard]] virtual std::vector<std::string> conserved() const { return {}; }
  /// Values recorded at points since the last call; always the same names in the same order. All ranks get all values.
  [[nodiscard]] virtual Traces take_traces() { return {}; }
  /// The largest stable step from the present state, in the unit of time; infinite for implicit methods.
  [[nodiscard]] virtual double stable_step() const;
  /// The next step proposed from the present state by a method with error control; infinite for all others, whose steps
  /// the deck sets. The next step is the minimum over the ranks, or shorter if the run or an output needs an exact
  /// time.
  [[nodiscard]] virtual double suggested_step() const;
  /// The number of steps so far of a method with error control, which may take several in one `advance` and reject
  /// some; nothing for all others.
  [[nodiscard]] virtual std::optional<StepCount> step_count() const { return std::nullopt; }

  /// Advances the state by `step`; returns a report of each linear solve.
  [[nodiscard]] virtual std::vector<SolveReport> advance(Step const& step) = 0;

  /// Passes to `state` everything that is carried from one step to the next and does not follow from the deck; for a
  /// stationary physics, its solution. Checkpoints save it and a restart sets it. Returns false if this is not
  /// supported (the default): the run then has no checkpoints.
  [[nodiscard]] virtual bool serialize(StateArchive& /*state*/) { return false; }

 protected:
  Physics() = default;
};

/// Arguments for creating a physics.
struct PhysicsContext {
  Options deck;  ///< the whole validated deck: `deck.section("transport")`, `deck.section("solver")`, …
  std::shared_ptr<StructuredMesh const> mesh;  ///< null for a physics on points
  std::shared_ptr<PointSet const> points;      ///< null for a physics on a mesh
  Precision precision = Precision::double_;
  IterationObserver observer;  ///< may be empty
};

enum class TimeDependence {
  stationary,
  evolving,
  by_deck  ///< evolving if the deck has a section `time`
};

/// A mesh is uniform if all cells of each axis have the same width, otherwise stretched.
enum class MeshKind { uniform, stretched };

/// For PhysicsEntry::create: creates a physics that is a class template of its floating-point type.
template <template <class Real> class OfPrecision>
[[nodiscard]] std::unique_ptr<Physics> create_physics(PhysicsContext const& context) {
  if (context.precision == Precision::single) return std::make_unique<OfPrecision<float>>(context);
  return std::make_unique<OfPrecision<double>>(context);
}

/// Upper bounds on the bytes of a physics on points, per point.
struct BytesOfPoint {
  double shared = 0;         ///< on the block that owns the point
  double state = 0;          ///< part of `shared` that belongs to fields()
  double checkpointed = 0;   ///< of a copy of the state that Physics::serialize passes
  double in_each_block = 0;  ///< on every block in addition; a rank has one block a device
};

/// All that the framework needs to know about a physics before it runs. A plugin is one function that returns this.
struct PhysicsEntry {
  std::string name;      ///< its name in decks, and the name of its section
  std::string sentence;  ///< what it solves
  Section options;       ///< its section of the deck; `options.name()` is `name`
  TimeDependence time_dependence = TimeDependence::evolving;
  std::vector<Precision> precisions{Precision::single, Precision::double_};  ///< precisions that it is compiled for
  std::vector<int> dimensions{1, 2, 3};             ///< dimensions of the meshes that it supports
  std::vector<MeshKind> meshes{MeshKind::uniform};  ///< kinds of meshes that it supports
  /// The largest ghost width of its fields for a validated deck: a block needs at least as many layers of cells if it
  /// has a neighbour or a periodic boundary. Empty: one layer.
  std::function<int(Options const& deck)> ghosts = {};
  /// Number of points for a validated deck, for a physics of bodies or particles; it has no mesh, and its decks give
  /// none. Throws InputError. Empty: the physics has a mesh.
  std::function<Index(Options const& deck)> points = {};
  /// Centring of the fields whose values a deck may give as files (Section::field). Empty: cells.
  std::function<Centring(Options const& deck)> centring = {};
  /// Whether the physics of a validated deck proposes its steps (Physics::suggested_step), so that the deck need not
  /// give any. Empty: it does not.
  std::function<bool(Options const& deck)> suggests_steps = {};
  bool takes_courant = true;     ///< false: a deck gives the length of steps, no fraction of the longest stable one
  bool steps_by_itself = false;  ///< uses no time integrator and no solver: a deck must not choose any
  RateParts rate_parts = {};     ///< for an evolving physics that uses an integrator
  std::string integrator = {};   ///< default integrator of such a physics
  /// Checks across sections (such as the mesh against this physics' boundaries); may be empty.
  Section::Check validate;
  std::function<std::unique_ptr<Physics>(PhysicsContext const&)> create;
  /// Bytes per point for a validated deck of a physics on points; for a mesh the framework determines them itself.
  /// Empty: unknown.
  std::function<BytesOfPoint(Options const& deck)> bytes_of_point = {};
  /// Formats of this physics' decks besides YAML. If several recognise a text, the first registered physics reads it:
  /// Halocline's own, then those of plugins in the order of the command line.
  std::vector<DeckFormat> deck_formats = {};
  Promises promises = {};  ///< checked by `halocline test-physics`
};

/// Whether a run of this deck is time-dependent.
[[nodiscard]] bool evolves(PhysicsEntry const& entry, Options const& deck);

}  // namespace halocline
