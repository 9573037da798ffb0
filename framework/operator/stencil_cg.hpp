#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/generic_steps.hpp"
#include "framework/operator/stencil_cg_ahead.hpp"
#include "framework/operator/stencil_core.hpp"

namespace halocline {

/// Steps of conjugate gradients of a StencilOperator: two passes over memory on devices, three on hosts.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilCg final : public CgSteps {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Ahead = StencilCgAhead<Real, Functor, CoefficientCount>;

  /// Collective.
  explicit StencilCg(Core const& core) : core_(core) {
    if constexpr (Ahead::recomputes_products) {
      pair_halo_.emplace(*core.make_field(), core.unknowns, Functor::shape, core.description.transport, 2);
    }
  }

  double apply_dot(Vector const& x, Vector& y) const override {
    stencil_functor::ApplyDot<Real, Functor> const kernel{core_.functor()};
    core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      core_.run_reduce(block, box, core_.sums_of(n), core_.output(y, block), kernel, core_.view(x, block));
    });
    return core_.total();
  }

  double step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
              std::unique_ptr<Vector>& work) const override {
    if constexpr (!Ahead::is_symmetric) {
      return generic_cg_step(*this, alpha, beta, z, x, *p, *work);
    } else if constexpr (Ahead::recomputes_products) {
      stencil_functor::CgStep<Real, Functor> const kernel{core_.functor(), static_cast<Real>(alpha),
                                                          static_cast<Real>(beta)};
      pair_halo_->over(
          {&Core::field(z), &Core::field(*p)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
            core_.run_reduce(block, box, core_.sums_of(n), outputs(core_.output(x, block), core_.output(*work, block)),
                             kernel, core_.view(z, block), core_.view(*p, block), core_.view(x, block));
          });
      std::swap(p, work);
      return core_.total();
    } else {
      stencil_functor::CgUpdate<Real> const update{static_cast<Real>(alpha), static_cast<Real>(beta)};
      for (Block const& block : core_.mesh().blocks()) {
        sweep(execution(block), core_.unknowns[block.local], core_.geometry(block),
              outputs(core_.output(x, block), core_.output(*p, block)), update, core_.view(x, block),
              core_.view(*p, block), core_.view(z, block));
      }
      return apply_dot(*p, *work);
    }
  }

  double residual(double alpha, Vector const& p, Vector const& work, Vector& r) const override {
    if constexpr (Ahead::is_symmetric && Ahead::recomputes_products) {
      stencil_functor::CgResidual<Real, Functor> const kernel{core_.functor(), static_cast<Real>(alpha)};
      core_.halo.over({&Core::field(p)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
        core_.run_reduce(block, box, core_.sums_of(n), core_.output(r, block), kernel, core_.view(r, block),
                         core_.view(p, block));
      });
      return core_.total();
    } else {
      return r.add_and_square(-alpha, work);
    }
  }

  [[nodiscard]] CgStepsAhead const* ahead() const override {
    if constexpr (Ahead::possible) {
      StencilHalo const* const pair_halo = pair_halo_ ? &*pair_halo_ : nullptr;
      if (ahead_ == nullptr && Ahead::can_run(core_, pair_halo)) ahead_ = std::make_unique<Ahead>(core_, pair_halo);
    }
    return ahead_.get();
  }

 private:
  Core const& core_;
  std::optional<StencilHalo> pair_halo_;         ///< for two vectors at a time, where a step needs that
  mutable std::unique_ptr<CgStepsAhead> ahead_;  ///< made when first needed, where steps can be enqueued
};

}  // namespace halocline
