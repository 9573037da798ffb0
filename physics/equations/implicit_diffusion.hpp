#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/field.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/solve_report.hpp"
#include "physics/equations/coefficients.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// g(t, u) = div(D grad u) of one field on cells, including the values of its walls, by operators: for methods that
/// solve for it, and for what sweeps do not evaluate.
template <class Real>
class ImplicitDiffusion {
 public:
  /// \param volume of each cell
  /// \param solver null if nothing is solved for
  ImplicitDiffusion(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                    Diffusivity<Real> diffusivity, std::shared_ptr<FieldVector<Real> const> volume,
                    std::unique_ptr<LinearSolver> solver);

  /// As those of ImplicitRate, for vectors of this one field.
  [[nodiscard]] SolveReport solve(double time, double scale, FieldVector<Real> const& right, FieldVector<Real>& out);
  void evaluate(double time, FieldVector<Real> const& y, FieldVector<Real>& out);
  [[nodiscard]] double euler_rate();

  /// Serializes the state that the solver keeps; prepares the solver for that.
  void serialize(StateArchive& state, std::string const& group);

 private:
  void prepare(double scale);
  void prepare_stiffness();

  /// What the material, or 1 without one, is multiplied by in a solve with this scale.
  [[nodiscard]] double factor(double scale) const {
    return diffusivity_.of_cells != nullptr ? scale : scale * diffusivity_.largest;
  }

  DiffusionDescription description_;
  Diffusivity<Real> diffusivity_;
  DiffusionMaterial<Real> material_;
  std::unique_ptr<LinearSolver> solver_;
  BoundarySource<Real> walls_;  ///< with conductivity 1: the scale is passed to `add` as a factor
  std::shared_ptr<FieldVector<Real> const> volume_;
  std::unique_ptr<Operator> operator_;   ///< volume (1 - scale g), for the scale in `scale_`
  std::unique_ptr<Operator> stiffness_;  ///< -volume g; null until first used, as are the next two
  std::unique_ptr<Vector> minus_inverse_volume_, b_;
  std::unique_ptr<Vector> x_;               ///< null where solvers can use the state's own memory …
  std::optional<BoundaryFill> zero_walls_;  ///< … whose ghosts beyond walls then become zero, as operators expect
  double scale_ = 0;
};

/// The diffusion of fields that are solved for one by one.
template <class Real>
class DiffusionOfFields final : public ImplicitRate<Real> {
 public:
  /// The next field, with the group of its solver's state; without `diffusion` its g is zero.
  void add(std::string group, std::optional<ImplicitDiffusion<Real>> diffusion);

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, FieldVector<Real> const& right,
                                               FieldVector<Real>& out) override;
  void evaluate(double time, FieldVector<Real> const& y, FieldVector<Real>& out) override;
  [[nodiscard]] double euler_rate() override;
  void serialize(StateArchive& state) override;

 private:
  struct Part {
    std::string group;
    std::optional<ImplicitDiffusion<Real>> diffusion;
  };
  std::vector<Part> parts_;
};

extern template class ImplicitDiffusion<float>;
extern template class ImplicitDiffusion<double>;
extern template class DiffusionOfFields<float>;
extern template class DiffusionOfFields<double>;

}  // namespace halocline
