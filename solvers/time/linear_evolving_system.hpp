#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "framework/operator/evolving_system.hpp"
#include "framework/operator/operator.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

class LinearSolver;

/// Which part of f(t) to add.
enum class SourcePart {
  whole,
  explicit_,  ///< the part that IMEX methods do not solve for
  implicit    ///< the rest
};

/// A linear system of ordinary differential equations, M du/dt + K u = f(t), with a diagonal M: volumes of cells or a
/// lumped mass matrix. For IMEX methods both K and f may have an explicit part.
class LinearSystem {
 public:
  virtual ~LinearSystem() = default;
  LinearSystem(LinearSystem const&) = delete;
  LinearSystem& operator=(LinearSystem const&) = delete;

  /// Called once, before everything else, if an IMEX method advances the system: from then on `shifted` leaves out the
  /// explicit part of K.
  virtual void split() {}
  /// M + scale K. The reference is valid until the next call; the same scale gives the same operator, unchanged.
  [[nodiscard]] virtual Operator const& shifted(double scale) = 0;
  /// K, as explicit methods apply it.
  [[nodiscard]] virtual Operator const& stiffness() = 0;
  /// The explicit part of K, after `split`; null if there is none.
  [[nodiscard]] virtual Operator const* explicit_stiffness() { return nullptr; }
  /// M
  [[nodiscard]] virtual Vector const& mass() const = 0;
  /// b = b + scale times a part of f(time), where f includes the effect of boundary values at `time`.
  virtual void add_source(SourcePart part, double time, double scale, Vector& b) = 0;
  /// Whether f has an explicit part.
  [[nodiscard]] virtual bool has_explicit_source() const { return false; }
  /// Upper bound of the magnitude of M^-1 K's eigenvalues. If not overridden: the norm of K over the least mass.
  [[nodiscard]] virtual double spectral_bound();
  /// The longest stable step of explicit Euler; infinite if any step is stable. If not overridden: that for real
  /// eigenvalues, which a symmetric K has.
  [[nodiscard]] virtual double euler_step();
  /// The same for the explicit part of K, after `split`, where the rest is solved for.
  [[nodiscard]] virtual double explicit_euler_step() { return std::numeric_limits<double>::infinity(); }

 protected:
  LinearSystem() = default;
};

/// What solves of a LinearEvolvingSystem are for.
enum class Solves {
  whole,    ///< the whole rate: all of it is g in the sense of EvolvingSystem
  implicit  ///< the part of K and f that is not explicit, for IMEX methods
};

/// A LinearSystem and a solver as an EvolvingSystem: du/dt = M^-1 (f(t) - K u). The solver is prepared when the scale
/// of a solve differs from the last one.
class LinearEvolvingSystem final : public EvolvingSystem {
 public:
  /// All arguments must outlive this object. States are vectors of the space of u.
  LinearEvolvingSystem(LinearSystem& system, LinearSolver& solver, Vector& u, Solves solves = Solves::whole);

  /// Advances u from `time` to `time + step`.
  [[nodiscard]] std::vector<SolveReport> advance(TimeIntegrator& integrator, double time, double step);
  /// LinearSystem::euler_step, or explicit_euler_step of a split system.
  [[nodiscard]] double euler_step();

  [[nodiscard]] std::unique_ptr<Vector> create_state() const override;
  void evaluate(RatePart part, double time, Vector& y, double own, std::span<WeightedVector const> terms, double scale,
                Vector& out, Vector* slope) override;
  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, Vector const& right, Vector& out) override;
  void serialize(StateArchive& archive, std::string const& name, Vector& state) override;
  /// Serializes the state of the solver, which it prepares, and of the integrator; false if the integrator does not
  /// support it.
  [[nodiscard]] bool serialize(StateArchive& archive, TimeIntegrator& integrator, std::string const& integrator_group);

 private:
  /// M + scale K, with the solver prepared for it.
  Operator const& prepare(double scale);
  /// rate_ = M^-1 (f(time) - K y), or the explicit part of that. Returns false if there is no such part.
  [[nodiscard]] bool find_rate(RatePart part, double time, Vector const& y);

  LinearSystem& system_;
  LinearSolver& solver_;
  Vector& u_;
  bool is_split_;
  Operator const* prepared_ = nullptr;  ///< the operator that the solver was last prepared for …
  double prepared_scale_ = 0;           ///< … and its scale
  double euler_step_ = 0;               ///< 0: not computed yet
  std::unique_ptr<Vector> b_;
  std::unique_ptr<Vector> rate_;
  std::unique_ptr<Vector> minus_inverse_mass_;
};

}  // namespace halocline
