#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/block_geometry.hpp"
#include "physics/wave/star.hpp"
#include "physics/wave/sweeps.hpp"

// The implementation of Sweeps, instantiated for each number of axes in a separate file.

namespace halocline::wave {

template <class Real, int Axes>
class StarSweeps final : public Sweeps<Real> {
 public:
  explicit StarSweeps(std::shared_ptr<StructuredMesh const> mesh) : mesh_(std::move(mesh)) {
    for (Block const& block : mesh_->blocks()) geometry_.emplace_back(*mesh_, block, Centring::cell);
  }

  void step(Block const& block, IndexRange const& box, Medium<Real> const& medium, double h, Field<Real> const& u,
            Field<Real>& before) const override {
    Geometry<Real> const& geometry = geometry_[block.local].geometry();
    FieldView<Real const> const was = std::as_const(before).view(block);
    if (medium.speed_squared == nullptr) {
      LeapfrogStep<Real, Axes> const functor{derivative(h * h * medium.speed * medium.speed)};
      sweep(execution(block), box, geometry, before.view(block), functor, u.view(block), was);
      return;
    }
    MediumStep<Real, Axes> const undamped{derivative(h * h)};
    auto const step_by = [&](auto const& functor) {
      sweep(execution(block), box, geometry, before.view(block), functor, u.view(block), was,
            medium.speed_squared->view(block));
    };
    if (medium.sponge.none()) return step_by(undamped);
    DampedStep<Real, Axes> damped{undamped, {}};
    for (int axis = 0; axis < Axes; ++axis) damped.factors[axis] = medium.sponge.along(axis);
    step_by(damped);
  }

  void laplacian(Block const& block, IndexRange const& box, double factor, Field<Real> const& u,
                 Field<Real>& out) const override {
    apply(block, box, derivative(factor), u, out);
  }

  void weighted_sum(Block const& block, IndexRange const& box, Weights const& weights, Field<Real> const& u,
                    Field<Real>& out) const override {
    WeightedStar<Real, Axes> star{};
    star.centre = static_cast<Real>(weights[0]);
    for (auto& side : star.side) {
      for (int n = 0; n < radius; ++n) side[n] = static_cast<Real>(weights[static_cast<std::size_t>(n) + 1]);
    }
    apply(block, box, star, u, out);
  }

 private:
  void apply(Block const& block, IndexRange const& box, WeightedStar<Real, Axes> const& star, Field<Real> const& u,
             Field<Real>& out) const {
    sweep(execution(block), box, geometry_[block.local].geometry(), out.view(block), star, u.view(block));
  }

  /// Weights of factor * div grad.
  [[nodiscard]] WeightedStar<Real, Axes> derivative(double factor) const {
    WeightedStar<Real, Axes> star{};
    double centre = 0;
    for (int axis = 0; axis < Axes; ++axis) {
      double const spacing = mesh_->axis(axis).spacing();
      double const scale = factor / (spacing * spacing);
      centre += scale * second_derivative[0];
      for (int n = 0; n < radius; ++n) {
        star.side[axis][n] = static_cast<Real>(scale * second_derivative[static_cast<std::size_t>(n) + 1]);
      }
    }
    star.centre = static_cast<Real>(centre);
    return star;
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  std::vector<BlockGeometry<Real>> geometry_;  ///< by Block::local
};

template <class Real, int Axes>
std::unique_ptr<Sweeps<Real>> make_sweeps_of(std::shared_ptr<StructuredMesh const> mesh) {
  return std::make_unique<StarSweeps<Real, Axes>>(std::move(mesh));
}

}  // namespace halocline::wave
