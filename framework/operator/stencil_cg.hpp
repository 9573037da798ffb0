#pragma once

#include <cstddef>
#include <memory>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/fused_passes.hpp"
#include "framework/operator/generic_steps.hpp"
#include "framework/operator/stencil_cg_ahead.hpp"
#include "framework/operator/stencil_cg_passes.hpp"
#include "framework/operator/stencil_core.hpp"

namespace halocline {

/// Steps of conjugate gradients of a StencilOperator: two passes over memory on devices, three on hosts.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilCg final : public CgSteps {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Passes = StencilCgPasses<Real, Functor, CoefficientCount>;
  using Ahead = StencilCgAhead<Real, Functor, CoefficientCount>;

  /// Collective.
  explicit StencilCg(Core const& core) : core_(core), passes_(core) {}

  double apply_dot(Vector const& x, Vector& y) const override {
    if constexpr (Core::is_long) {
      core_.long_product(0, x, 1, x, y);
      return core_.mesh().communicator().sum(core_.box_sum(1, Core::of_long_product));
    } else {
      passes_.product(x, y, sums());
      return core_.total();
    }
  }

  double step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
              std::unique_ptr<Vector>& work) const override {
    if constexpr (Passes::is_symmetric && !Core::is_long) {
      passes_.advance(static_cast<Real>(alpha), static_cast<Real>(beta), z, x, p, work, sums());
      return core_.total();
    } else {
      return generic_cg_step(*this, alpha, beta, z, x, *p, *work);
    }
  }

  double residual(double alpha, Vector const& p, Vector const& work, Vector& r) const override {
    if constexpr (Passes::recomputes_products) {
      passes_.residual(static_cast<Real>(alpha), p, r, sums());
      return core_.total();
    } else {
      return add_and_square(r, -alpha, work);
    }
  }

  [[nodiscard]] CgStepsAhead const* ahead() const override {
    if constexpr (Passes::is_symmetric && !kernel::is_host<Execution> && !Core::is_long) {
      if (ahead_ == nullptr && passes_.need_no_host()) ahead_ = std::make_unique<Ahead>(core_, passes_);
    }
    return ahead_.get();
  }

 private:
  [[nodiscard]] auto sums() const {
    return [this](std::size_t box) -> Reduction<Execution>& { return core_.sums_of(box); };
  }

  Core const& core_;
  Passes passes_;
  mutable std::unique_ptr<CgStepsAhead> ahead_;  ///< made when first needed, if steps can be enqueued
};

}  // namespace halocline
