#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/boundary.hpp"
#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/operator/operator.hpp"
#include "framework/plugin/physics.hpp"
#include "physics/equations/stationary_solve.hpp"

namespace halocline {

/// Declares the options that a StationaryProblem reads: source, initial, exact and boundary.
void declare_stationary_problem(Section& section);

/// A u = b, solved once by the deck's solver: the common part of stationary physics. b is the integral of the option
/// `source` over the control volumes plus what a physics adds; the initial guess is `initial`. If `exact` is given,
/// error norms are among the quantities.
template <class Real>
class StationaryProblem : public Physics {
 public:
  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {&field_}; }
  /// mean, maximum and, with an exact solution, error_2 and error_maximum.
  [[nodiscard]] std::vector<Quantity> quantities() const override;
  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override;
  [[nodiscard]] bool serialize(StateArchive& state) override;

 protected:
  /// Collective. Throws InputError for a source, initial or exact value that is not finite.
  ///
  /// \param own  the physics' section, as declared by declare_stationary_problem
  /// \param grid of the unknowns, on which `a` acts
  /// \param name of the field u
  StationaryProblem(PhysicsContext const& context, Options own, ControlVolumeGrid const& grid,
                    BoundaryConditions const& conditions, std::unique_ptr<Operator> a, std::string const& name = "u");
  [[nodiscard]] Vector& right_hand_side() { return *b_; }

 private:
  void show();

  Options own_;
  Field<Real> field_;
  BoundaryFill walls_;
  std::unique_ptr<Operator> operator_;
  StationarySolve solve_;
  std::unique_ptr<Vector> u_, b_, volume_;
};

extern template class StationaryProblem<float>;
extern template class StationaryProblem<double>;

}  // namespace halocline
