#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/operator/evolving_system.hpp"
#include "framework/operator/operator.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

class LinearSolver;

/// A linear system of ordinary differential equations, M du/dt + K u = f(t), with a diagonal M: volumes of cells, a
/// lumped mass.
class LinearSystem {
 public:
  virtual ~LinearSystem() = default;
  LinearSystem(LinearSystem const&) = delete;
  LinearSystem& operator=(LinearSystem const&) = delete;

  /// M + scale K. The reference is good until the next call; the same scale gives the same operator, unchanged.
  [[nodiscard]] virtual Operator const& shifted(double scale) = 0;
  /// K; explicit methods apply it.
  [[nodiscard]] virtual Operator const& stiffness() = 0;
  /// M
  [[nodiscard]] virtual Vector const& mass() const = 0;
  /// b = b + scale f(time), with what boundary values at `time` add to f.
  virtual void add_source(double time, double scale, Vector& b) = 0;
  /// No eigenvalue of M^-1 K is larger in magnitude. If not overridden: the norm of K over the least mass.
  [[nodiscard]] virtual double spectral_bound();
  /// The longest step that explicit Euler is stable with; infinite where any is. If not overridden: that of real
  /// eigenvalues, as a symmetric K has them.
  [[nodiscard]] virtual double euler_step();

 protected:
  LinearSystem() = default;
};

/// A LinearSystem and a solver as integrators see them: du/dt = g(t, u) = M^-1 (f(t) - K u), f zero. The solver is
/// prepared where the scale of a solve is not that of the last one.
class LinearEvolvingSystem final : public EvolvingSystem {
 public:
  /// All of them outlive this. States are vectors of the space of u.
  LinearEvolvingSystem(LinearSystem& system, LinearSolver& solver, Vector& u);

  /// Moves u from `time` to `time + step`.
  [[nodiscard]] std::vector<SolveReport> advance(TimeIntegrator& integrator, double time, double step);
  /// LinearSystem::euler_step
  [[nodiscard]] double euler_step();

  [[nodiscard]] std::unique_ptr<SystemState> create_state() const override;
  void swap(SystemState& a, SystemState& b) override;
  void evaluate(RatePart part, double time, SystemState& y, double own, std::span<WeightedState const> terms,
                double scale, SystemState& out, SystemState* slope) override;
  void combine(std::span<WeightedState const> terms, SystemState& out) override;
  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, SystemState const& right,
                                               SystemState& out) override;
  [[nodiscard]] double scaled_maximum(SystemState const& error, SystemState const& before, SystemState const& after,
                                      double absolute, double relative) override;
  void carry(CarriedState& carried, std::string const& name, SystemState& state) override;
  /// Tells what the solver keeps, for which it is prepared, and the integrator; false where that does not.
  [[nodiscard]] bool carry(CarriedState& carried, TimeIntegrator& integrator, std::string const& integrator_group);

 private:
  struct State;
  struct Weighted {
    double weight;
    Vector const* x;
  };
  [[nodiscard]] Vector& vector(SystemState const& state) const;
  static void sum(std::span<Weighted const> terms, Vector& out);
  /// M + scale K, for which the solver is prepared.
  Operator const& prepare(double scale);
  /// rate_ = M^-1 (f(time) - K y)
  void find_rate(double time, Vector const& y);

  LinearSystem& system_;
  LinearSolver& solver_;
  Vector& u_;
  mutable std::vector<std::unique_ptr<Vector>> owned_;
  mutable std::vector<Vector*> vectors_;  ///< by the number of a state, which a swap exchanges; 0 is u's
  std::unique_ptr<Vector> spare_;         ///< null until a step ends with the memory of u in another state
  Operator const* prepared_ = nullptr;    ///< the operator that the solver was last prepared for …
  double prepared_scale_ = 0;             ///< … and its scale
  double euler_step_ = 0;                 ///< 0: not asked for yet
  std::unique_ptr<Vector> b_;
  std::unique_ptr<Vector> rate_;
  std::unique_ptr<Vector> minus_inverse_mass_;
};

}  // namespace halocline
