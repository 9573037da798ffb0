#pragma once

#include <memory>
#include <optional>

#include "framework/operator/operator.hpp"
#include "framework/operator/vector.hpp"
#include "physics/equations/coefficients.hpp"
#include "physics/equations/diffusion.hpp"

namespace halocline {

/// Terms of the rate of one field on cells that are linear in it, g(t, u), as V g = f(t) - K u: V are the volumes, K is
/// an operator and f what the values of walls add.
template <class Real>
class LinearTerms {
 public:
  virtual ~LinearTerms() = default;
  LinearTerms(LinearTerms const&) = delete;
  LinearTerms& operator=(LinearTerms const&) = delete;

  /// mass V + scale K. Collective.
  [[nodiscard]] virtual std::unique_ptr<Operator> make_operator(double mass, double scale) = 0;
  /// b = b + scale f(time). Throws InputError, naming the position, for a value that is not finite.
  virtual void add_walls(double time, double scale, Vector& b) const = 0;
  /// The inverse of the longest stable step of explicit Euler, if it does not follow from the diagonal of K alone.
  [[nodiscard]] virtual std::optional<double> euler_rate() const { return std::nullopt; }

 protected:
  LinearTerms() = default;
};

/// div(D grad u)
template <class Real>
class DiffusionTerms final : public LinearTerms<Real> {
 public:
  /// Throws as BoundarySource does.
  DiffusionTerms(std::shared_ptr<StructuredMesh const> mesh, BoundaryConditions const& walls,
                 Diffusivity<Real> diffusivity);

  [[nodiscard]] std::unique_ptr<Operator> make_operator(double mass, double scale) override;
  void add_walls(double time, double scale, Vector& b) const override { walls_.add(time, factor(scale), b); }

 private:
  /// What the coefficient of each cell, or 1 without one, is multiplied by.
  [[nodiscard]] double factor(double scale) const {
    return diffusivity_.of_cells != nullptr ? scale : scale * diffusivity_.largest;
  }

  DiffusionDescription description_;
  Diffusivity<Real> diffusivity_;
  DiffusionMaterial<Real> material_;
  BoundarySource<Real> walls_;  ///< with conductivity 1: the scale is passed to `add` as a factor
};

extern template class DiffusionTerms<float>;
extern template class DiffusionTerms<double>;

}  // namespace halocline
