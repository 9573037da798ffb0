#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/plugin/physics.hpp"
#include "physics/equations/equation_system.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/field_numbers.hpp"
#include "physics/equations/own_steps.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/rate_of_fields.hpp"
#include "physics/equations/weighted_integrals.hpp"
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
  [[nodiscard]] Options options_of(std::size_t field) const {
    return declared_.options_of(own_, declared_.fields[field]);
  }
  /// Sets a field to what the physics computes; false if it does not.
  [[nodiscard]] bool compute(Field<Real>& field) const;
  void set_initial(std::size_t field);
  void make_volume();
  [[nodiscard]] std::vector<FieldNumbers> numbers() const;
  [[nodiscard]] std::size_t index_of(std::string const& field) const;
  [[nodiscard]] Quantity measured(FieldQuantity const& quantity, FieldNumbers const& u) const;
  [[nodiscard]] std::string called(std::string const& quantity, std::string const& field) const;
  [[nodiscard]] std::vector<Options> given_sources(std::string const& field) const;
  [[nodiscard]] std::vector<PointSource> point_sources(std::string const& field) const;
  void square_speed(std::shared_ptr<Field<Real>> const& field);
  [[nodiscard]] std::unique_ptr<TimeIntegrator> own_steps(Options const& time, int order);
  void set_coefficients(std::vector<EquationField> const& fields, Stages<Real>& stages);
  [[nodiscard]] LinearPart<Real> linear_part(PhysicsContext const& context, std::vector<EquationField> const& fields,
                                             Stages<Real> const& stages);
  [[nodiscard]] RateOfField<Real> carried(std::size_t field, std::unique_ptr<LinearSolver> solver);
  [[nodiscard]] double euler_step(std::optional<double> const& fastest) const;
  [[nodiscard]] bool is_closed(std::size_t field) const;
  [[nodiscard]] std::vector<SolveReport> take_step(Step const& step);
  [[nodiscard]] bool keeps_energy() const;
  [[nodiscard]] bool is_closed_by_law(std::size_t field) const;
  void require_physical(double fastest) const;
  void repeat_with_donor_cells(Step const& step);
  void add_errors(std::size_t field, std::vector<Quantity>& quantities) const;

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
  Treatment treatment_;                       ///< what the integrator solves for
  bool is_swept_;                             ///< sweeps evaluate the whole rate
  std::string integrator_name_;
  std::unique_ptr<TimeIntegrator> integrator_;
  std::unique_ptr<Field<Real>> exact_;  ///< buffer for exact solutions; null: there are none
  Fields<Real> materials_;
  std::vector<double> peclet_;                       ///< of each field that a flow carries
  double highest_speed_ = 0;                         ///< of waves
  Leapfrog<Real>* leapfrog_ = nullptr;               ///< the integrator, if it is that
  bool has_same_steps_;                              ///< all have one length
  bool is_solenoidal_ = true;                        ///< the flow, if there is one
  std::shared_ptr<FieldVector<Real> const> volume_;  ///< of each cell; null where nothing needs it
  double all_volume_ = 0;                            ///< of a stretched mesh
  std::optional<WeightedIntegrals<Real>> integrals_;
};

}  // namespace halocline
