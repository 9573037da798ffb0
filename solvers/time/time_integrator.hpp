#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/registry.hpp"
#include "framework/deck/section.hpp"
#include "framework/operator/evolving_system.hpp"
#include "solvers/method_notes.hpp"

namespace halocline {

class StateArchive;
class Mistakes;

/// Advances the state of an EvolvingSystem in time. Made once from its deck section, for one system, and used for every
/// step. All methods are collective over the ranks of the system, and make the same decisions on each of them.
class TimeIntegrator {
 public:
  TimeIntegrator() = default;
  virtual ~TimeIntegrator() = default;
  TimeIntegrator(TimeIntegrator const&) = delete;
  TimeIntegrator& operator=(TimeIntegrator const&) = delete;

  /// Advances u from `time` to exactly `time + step`, step > 0; an error-controlled method takes several shorter steps
  /// if one has too large an error. The first call makes the additional states from the system. Returns the reports of
  /// the solves; if one did not reach its criteria, u is the best available state. Throws SolveError if no step,
  /// however short, meets the tolerance of an error-controlled method.
  [[nodiscard]] virtual std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step,
                                                         Vector& u) = 0;

  /// Ratio of the longest stable step of this method to that of explicit Euler; for an IMEX method, with both applied
  /// to f alone. Infinite for implicit methods.
  [[nodiscard]] virtual double stable_factor() const { return std::numeric_limits<double>::infinity(); }
  /// Sets the longest stable step of explicit Euler, from which a method with a variable number of stages chooses how
  /// many a step needs. If it is not set, the method uses the most that it may.
  virtual void set_euler_step(double) {}
  /// The next step that the method suggests: for an error-controlled one that has made steps, a step that meets its
  /// tolerance; infinite otherwise.
  [[nodiscard]] virtual double suggested_step() const { return std::numeric_limits<double>::infinity(); }
  /// Asks the method to keep the state from before each `advance`, which may take one more state. Call it before the
  /// first one. Returns false if the method cannot.
  [[nodiscard]] virtual bool keep_previous() { return false; }
  /// Takes the last `advance` back: u is what it was before. Only after keep_previous() returned true, and once for
  /// each `advance`.
  virtual void undo(Vector& /*u*/) {}
  /// Whether an `advance` of the same step with the same memory of u asks the system for the same stages as the one
  /// before the last. What these enqueue may then be enqueued again in place of an `advance`, and `replayed` does the
  /// rest.
  [[nodiscard]] virtual bool repeats() const { return false; }
  virtual void replayed(Vector& /*u*/) {}
  /// Discards the history of earlier steps, because u was changed from outside.
  virtual void restart() {}
  /// Counts of steps; an error-controlled method may take several in one `advance`.
  [[nodiscard]] virtual StepCount steps() const { return {}; }
  [[nodiscard]] virtual bool controls_error() const { return false; }
  /// Lists the state that the method keeps between steps; `system` lists its states. Returns false if the method does
  /// not support it (the default): then a run with it cannot be resumed.
  [[nodiscard]] virtual bool serialize(StateArchive& /*archive*/, std::string const& /*group*/,
                                       EvolvingSystem& /*system*/) {
    return false;
  }
};

/// For TimeIntegrator::serialize.
void serialize(StepCount& steps, StateArchive& archive, std::string const& group);

/// What a method requires of an EvolvingSystem.
enum class Treatment {
  explicit_,  ///< the whole rate, f + g
  implicit,   ///< solves with g only: f must be zero
  imex        ///< f, and solves with g
};

/// A time integrator that decks choose by name. `declare` makes its section (with the same name as the entry), `create`
/// makes the integrator from the values of that section. Without options, a deck has no such section, and `create` must
/// not read any.
struct IntegratorEntry {
  std::string name;
  std::string sentence;
  std::function<Section()> declare;
  std::function<std::unique_ptr<TimeIntegrator>(Options const&)> create;
  Treatment treatment = Treatment::explicit_;
  int order = 1;
  int states = 0;            ///< besides u
  double numbers_moved = 0;  ///< values read and written per unknown in a step, without solves
  /// TimeIntegrator::stable_factor with the options' defaults.
  double stable_factor = std::numeric_limits<double>::infinity();
  bool controls_error = false;
  bool is_for_real_eigenvalues = false;  ///< stable only for negative real eigenvalues: for diffusion, not for a flow
  MethodNotes notes = {};
};

/// All registered integrators. To add one from a separate file of any shared library:
///
///     bool const registered = (integrators().add({.name = "heun", …}), true);
[[nodiscard]] Registry<IntegratorEntry>& integrators();

/// The name of the integrator that a `time` section chooses; `fallback` if it chooses none.
[[nodiscard]] std::string integrator_of(Options const& time, std::string const& fallback);
/// Its registered entry; null if there is none of that name.
[[nodiscard]] IntegratorEntry const* chosen_integrator(Options const& time, std::string const& fallback);
/// The integrator that a `time` section chooses; `fallback` if it chooses none.
[[nodiscard]] std::unique_ptr<TimeIntegrator> make_time_integrator(Options const& time, std::string const& fallback);

/// For Physics::step_count.
[[nodiscard]] std::optional<StepCount> chosen_steps(TimeIntegrator const& integrator);

/// Whether an integrator can be used for a physics with these parts.
[[nodiscard]] bool serves(IntegratorEntry const& integrator, RateParts const& parts);
/// Adds a mistake, naming the possible methods, if a `time` section chooses one that cannot be used for a physics with
/// these parts.
void validate_integrator(Options const& time, RateParts const& parts, Mistakes& mistakes);

}  // namespace halocline
