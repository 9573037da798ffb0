#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/options.hpp"
#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/plugin/physics.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/points.hpp"
#include "solvers/linear/solver.hpp"
#include "solvers/time/linear_evolving_system.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// V du/dt + K u = V source(t) + wall terms, where V are the volumes of the unknowns: a LinearSystem except for K. The
/// source is explicit, the walls' values are implicit like the diffusion that they belong to, unless `split_walls` was
/// called.
template <class Real>
class VolumeSystem : public LinearSystem {
 public:
  [[nodiscard]] Vector const& mass() const override { return *volume_; }
  void add_source(SourcePart part, double time, double scale, Vector& b) override;
  [[nodiscard]] bool has_explicit_source() const override { return source_terms_ != nullptr || explicit_walls_; }

 protected:
  /// Collective. Throws InputError for a source that is not finite at `start`; `add_source` does so at its time.
  ///
  /// \param own  the physics' section, which contains a field `source`
  /// \param like a vector of the unknowns
  VolumeSystem(ControlVolumeGrid const& grid, BoundarySource<Real> walls, Options const& own, double start,
               Vector const& like);

  /// Replaces the effect of the walls' values by two parts of it.
  void split_walls(BoundarySource<Real> implicit_part, BoundarySource<Real> explicit_part);

 private:
  void evaluate_source(double time);

  BoundarySource<Real> walls_;                          ///< all of it, or the implicit part
  std::optional<BoundarySource<Real>> explicit_walls_;  ///< after `split_walls`
  FieldSource source_;
  std::string source_name_;
  std::unique_ptr<Vector> volume_;
  std::unique_ptr<Vector> source_terms_;  ///< null where there is no source
};

/// A LinearSystem of one field u on cells, advanced by the deck's integrator and solver: the common part of evolving
/// linear physics. A physics makes its system and its initial values, then calls `begin`.
template <class Real>
class EvolvingProblem : public Physics {
 public:
  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {field_.get()}; }
  [[nodiscard]] double stable_step() const override { return integrator_->stable_factor() * euler_step_; }
  [[nodiscard]] double suggested_step() const override { return integrator_->suggested_step(); }
  [[nodiscard]] std::optional<StepCount> step_count() const override { return chosen_steps(*integrator_); }
  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override;
  [[nodiscard]] Traces take_traces() override { return receivers_.take(); }
  [[nodiscard]] bool serialize(StateArchive& state) override;

 protected:
  /// \param own        the physics' section, which contains an expression `exact` and a list `receivers`
  /// \param integrator used if a deck chooses none
  EvolvingProblem(PhysicsContext const& context, Options own, std::string const& integrator);
  /// Collective. Throws InputError, before anything is written, for an exact solution that is not finite somewhere.
  void begin(std::unique_ptr<LinearSystem> system);

  [[nodiscard]] Options const& own() const { return own_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] Field<Real>& field() { return *field_; }
  [[nodiscard]] FieldVector<Real>& u() { return u_; }
  [[nodiscard]] FieldVector<Real> const& u() const { return u_; }
  /// The volumes of the unknowns; after `begin`.
  [[nodiscard]] Vector const& volume() const { return system_->mass(); }

 private:
  Options own_;
  double time_;
  std::shared_ptr<Field<Real>> field_;
  FieldVector<Real> u_;
  Receivers<Real> receivers_;
  std::unique_ptr<LinearSystem> system_;
  std::string integrator_name_;
  std::unique_ptr<TimeIntegrator> integrator_;
  Treatment treatment_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<LinearEvolvingSystem> evolution_;
  double euler_step_ = std::numeric_limits<double>::infinity();  ///< infinite for implicit integrators
};

extern template class VolumeSystem<float>;
extern template class VolumeSystem<double>;
extern template class EvolvingProblem<float>;
extern template class EvolvingProblem<double>;

}  // namespace halocline
