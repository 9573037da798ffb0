#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/operator/solve_report.hpp"
#include "physics/equations/coefficients.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// g(t, u) = div(D grad u) of one field on cells, including the values of its walls, for methods that solve for it.
template <class Real>
class ImplicitDiffusion {
 public:
  ImplicitDiffusion(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                    Diffusivity<Real> diffusivity, std::unique_ptr<LinearSolver> solver);

  /// Finds `out` with out - scale g(time, out) = right; `out` is the initial guess.
  [[nodiscard]] SolveReport solve(double time, double scale, std::shared_ptr<Field<Real>> const& right,
                                  std::shared_ptr<Field<Real>> const& out);

  /// Serializes the state that the solver keeps; prepares the solver for that.
  void serialize(StateArchive& state, std::string const& group);

 private:
  void prepare(double scale);

  /// What the material, or 1 without one, is multiplied by in a solve with this scale.
  [[nodiscard]] double factor(double scale) const {
    return diffusivity_.of_cells != nullptr ? scale : scale * diffusivity_.largest;
  }

  DiffusionDescription description_;
  Diffusivity<Real> diffusivity_;
  DiffusionMaterial<Real> material_;
  std::unique_ptr<LinearSolver> solver_;
  BoundarySource<Real> walls_;          ///< with conductivity 1: the scale is passed to `add` as a factor
  std::unique_ptr<Operator> operator_;  ///< 1 - scale g, for the scale in `scale_`
  double scale_ = 0;
  std::unique_ptr<Vector> volume_, b_, x_;
};

/// The diffusion of fields that are solved for one by one.
template <class Real>
class DiffusionOfFields final : public ImplicitRate<Real> {
 public:
  /// The next field, with its name; without `diffusion` its g is zero.
  void add(std::string name, std::optional<ImplicitDiffusion<Real>> diffusion);

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, Fields<Real> const& right,
                                               Fields<Real> const& out) override;
  void serialize(StateArchive& state) override;

 private:
  struct Part {
    std::string name;
    std::optional<ImplicitDiffusion<Real>> diffusion;
  };
  std::vector<Part> parts_;
};

extern template class ImplicitDiffusion<float>;
extern template class ImplicitDiffusion<double>;
extern template class DiffusionOfFields<float>;
extern template class DiffusionOfFields<double>;

}  // namespace halocline
