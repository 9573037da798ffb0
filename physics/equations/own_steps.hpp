#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/operator/field_vector.hpp"
#include "physics/equations/equation_system.hpp"
#include "physics/equations/sponge.hpp"
#include "solvers/time/time_integrator.hpp"

// How declared physics whose order in time is not 1 step: no deck chooses their method.

namespace halocline {

/// Leapfrog for d2u/dt2 = a(t, u): u(t + h) = 2 u(t) - u(t - h) + h^2 a(t, u(t)), of second order, with central
/// differences for a damping 2 s du/dt too. Steps may differ in length: u(t - h) is then computed anew from u and what
/// it was.
template <class Real>
class Leapfrog final : public TimeIntegrator {
 public:
  /// Starts at `time` with steps of length `step`.
  ///
  /// \param rate   du/dt at the start; becomes the previous state
  /// \param sponge whose waves it damps
  Leapfrog(std::shared_ptr<StructuredMesh const> mesh, EquationSystem<Real>& system, FieldVector<Real>& u,
           std::unique_ptr<Vector> rate, std::optional<Sponge> const& sponge, double time, double step);

  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] double stable_factor() const override { return 1; }
  [[nodiscard]] bool serialize(StateArchive& archive, std::string const& group, EvolvingSystem& system) override;
  /// Half of the sum of inertia ((du/dt)^2 - u a) over all cells, half a step ago. It is positive for stable steps, and
  /// conserved to rounding if a is a symmetric operator times u and nothing is damped. Per volume of a cell.
  /// Collective.
  [[nodiscard]] double energy(FieldVector<Real>& u, double time);

 private:
  /// Sets the previous state to own u + weight (previous state) + scale d2u/dt2. Ignores damping, which is weak where
  /// waves start.
  void set_before(double time, FieldVector<Real>& u, double own, double weight, double scale);
  void set_damping();

  std::shared_ptr<StructuredMesh const> mesh_;
  EquationSystem<Real>& system_;
  std::unique_ptr<Vector> before_;  ///< the state one step ago
  std::unique_ptr<Vector> change_;  ///< work array
  std::optional<Sponge> sponge_;
  SpongeFactors<Real> damping_;
  double step_;  ///< from the previous state to the present one
};

/// The next state is f(u): every step replaces the state by what the functor returns.
template <class Real>
class Replacement final : public TimeIntegrator {
 public:
  explicit Replacement(EquationSystem<Real>& system) : system_(system), next_(system.create_state()) {}
  [[nodiscard]] std::vector<SolveReport> advance(EvolvingSystem& system, double time, double step, Vector& u) override;
  [[nodiscard]] bool serialize(StateArchive&, std::string const&, EvolvingSystem&) override { return true; }

 private:
  EquationSystem<Real>& system_;
  std::unique_ptr<Vector> next_;
};

extern template class Leapfrog<float>;
extern template class Leapfrog<double>;
extern template class Replacement<float>;
extern template class Replacement<double>;

}  // namespace halocline
