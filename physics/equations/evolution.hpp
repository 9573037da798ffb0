#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/plugin/physics.hpp"
#include "physics/equations/equation_system.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/points.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// A declared physics in a run: its state, advanced by the deck's integrator.
template <class Real>
class Evolution final : public Physics {
 public:
  /// Collective. Throws InputError for initial, source or exact values that are not finite.
  Evolution(PhysicsContext const& context, Equations::Declared declared, StagesOfLaw<Real> stages);

  [[nodiscard]] std::vector<FieldBase const*> fields() const override;
  [[nodiscard]] std::vector<Quantity> quantities() const override;
  [[nodiscard]] std::vector<std::string> conserved() const override;
  [[nodiscard]] double stable_step() const override;
  [[nodiscard]] double suggested_step() const override { return integrator_->suggested_step(); }
  [[nodiscard]] std::optional<StepCount> step_count() const override { return chosen_steps(*integrator_); }
  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override;
  [[nodiscard]] Traces take_traces() override { return receivers_.take(); }
  [[nodiscard]] bool serialize(StateArchive& state) override;

 private:
  [[nodiscard]] std::vector<Options> point_sources(std::string const& field) const;
  void set_coefficients(std::vector<EquationField> const& fields, Stages<Real>& stages) const;
  [[nodiscard]] std::unique_ptr<ImplicitRate<Real>> implicit_rate(PhysicsContext const& context,
                                                                  std::vector<EquationField> const& fields,
                                                                  Stages<Real> const& stages) const;
  [[nodiscard]] double euler_step(std::optional<double> const& fastest) const;
  [[nodiscard]] bool is_closed(std::size_t field) const;
  [[nodiscard]] bool is_closed_by_law(std::size_t field) const;
  void require_physical(double fastest) const;
  void repeat_with_donor_cells(Step const& step);
  void add_errors(std::size_t field, std::vector<Quantity>& all) const;

  Equations::Declared declared_;
  Options own_;
  std::shared_ptr<StructuredMesh const> mesh_;
  double time_;
  mutable FieldVector<Real> state_;  ///< its ghosts are filled on demand
  Receivers<Real> receivers_;
  std::unique_ptr<EquationSystem<Real>> system_;
  mutable std::optional<double> known_step_;  ///< euler_step() of the present state, once computed
  StateLaw<Real> const* law_;                 ///< owned by the system; null: none
  bool falls_back_ = false;                   ///< steps to states that are not physical are repeated with donor cells
  bool solves_;                               ///< the integrator solves for the diffusive part of the rate
  std::string integrator_name_;
  std::unique_ptr<TimeIntegrator> integrator_;
  std::unique_ptr<Field<Real>> exact_;  ///< buffer for exact solutions; null: there are none
};

}  // namespace halocline
