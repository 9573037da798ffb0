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

class CarriedState;
class Mistakes;

/// Moves the state of an EvolvingSystem through time. Made once from its deck section, for one system, and used for
/// every step. All methods are collective over the ranks of the system, and decide the same on each of them.
class TimeIntegrator {
 public:
  TimeIntegrator() = default;
  virtual ~TimeIntegrator() = default;
  TimeIntegrator(TimeIntegrator const&) = delete;
  TimeIntegrator& operator=(TimeIntegrator const&) = delete;

  /// Moves u from `time` to exactly `time + step`, step > 0; an error-controlled method takes several shorter steps of
  /// its own where one has too large an error. States that it needs beside u are made from the system in the first
  /// call. Returns the reports of the solves; after one that did not reach its criteria u is the best that is known.
  /// Throws SolveError where no step, however short, meets the tolerance of an error-controlled method.
  [[nodiscard]] virtual std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step,
                                                         SystemState& u) = 0;

  /// How many times the longest stable step of explicit Euler the longest stable step of this method is; of an IMEX
  /// method, where both are applied to f alone. Infinite for implicit methods.
  [[nodiscard]] virtual double stable_factor() const { return std::numeric_limits<double>::infinity(); }
  /// The longest step of explicit Euler that is stable from now on, from which a method with a variable number of
  /// stages takes as many as the steps need. Not told: the most that it may take.
  virtual void set_euler_step(double) {}
  /// The step that the method would take next: of an error-controlled one, once it has taken any, what meets its
  /// tolerance; infinite otherwise.
  [[nodiscard]] virtual double suggested_step() const { return std::numeric_limits<double>::infinity(); }
  /// What is known of earlier steps no longer holds: u was changed by others.
  virtual void restart() {}
  /// Of an error-controlled method several may be taken in an `advance`.
  [[nodiscard]] virtual StepCount steps() const { return {}; }
  [[nodiscard]] virtual bool controls_error() const { return false; }
  /// Tells what the method keeps from one step to the next; states are told by `system`. Returns false where that is
  /// not known, as it is if not overridden: a run by the method cannot be gone on with.
  [[nodiscard]] virtual bool carry(CarriedState& /*carried*/, std::string const& /*group*/,
                                   EvolvingSystem& /*system*/) {
    return false;
  }
};

/// For TimeIntegrator::carry.
void carry(StepCount& steps, CarriedState& carried, std::string const& group);

/// What a method asks an EvolvingSystem for.
enum class Treatment {
  explicit_,  ///< the whole rate, f + g
  implicit,   ///< solves with g alone: f has to be zero
  imex        ///< f, and solves with g
};

/// A time integrator that decks choose by name. `declare` makes its section (of the same name as the entry), `create`
/// the integrator from the values of that section; without options a deck has no such section, and `create` must not
/// ask for any.
struct IntegratorEntry {
  std::string name;
  std::string sentence;
  std::function<Section()> declare;
  std::function<std::unique_ptr<TimeIntegrator>(Options const&)> create;
  Treatment treatment = Treatment::explicit_;
  int order = 1;
  int states = 0;            ///< held beside u
  double numbers_moved = 0;  ///< read and written for each unknown in a step, solves aside
  /// TimeIntegrator::stable_factor with the options' defaults.
  double stable_factor = std::numeric_limits<double>::infinity();
  bool controls_error = false;
  bool is_for_real_eigenvalues = false;  ///< stable for real negative ones alone: for diffusion, not for a flow
  MethodNotes notes = {};
};

/// Everything registered. To add one from a file of its own, of any shared library:
///
///     bool const registered = (integrators().add({.name = "heun", …}), true);
[[nodiscard]] Registry<IntegratorEntry>& integrators();

/// The name of the integrator that a `time` section chooses; `fallback` where it chooses none.
[[nodiscard]] std::string integrator_of(Options const& time, std::string const& fallback);
/// What is registered of it; null where neither is the name of any.
[[nodiscard]] IntegratorEntry const* chosen_integrator(Options const& time, std::string const& fallback);
/// The integrator that a `time` section chooses; `fallback` where it chooses none.
[[nodiscard]] std::unique_ptr<TimeIntegrator> make_time_integrator(Options const& time, std::string const& fallback);

/// For Physics::step_count.
[[nodiscard]] std::optional<StepCount> chosen_steps(TimeIntegrator const& integrator);

/// Whether an integrator can serve a physics with these parts.
[[nodiscard]] bool serves(IntegratorEntry const& integrator, RateParts const& parts);
/// Adds a mistake, which names the methods that would do, where a `time` section chooses one that cannot serve a
/// physics with these parts.
void judge_integrator(Options const& time, RateParts const& parts, Mistakes& mistakes);

}  // namespace halocline
