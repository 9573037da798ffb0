#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/kernel/repeated_work.hpp"
#include "framework/kernel/resident_cg.hpp"
#include "framework/operator/cg_scalars.hpp"
#include "framework/operator/cg_steps.hpp"
#include "framework/operator/stencil_core.hpp"
#include "framework/runtime/region.hpp"

namespace halocline {

/// Steps of conjugate gradients of a StencilOperator on a device without the host: enqueued one by one or, for a small
/// system, many in one persistent kernel. `Passes` is the operator's StencilCg.
template <class Passes>
class StencilCgAhead final : public CgStepsAhead {
 public:
  using Core = typename Passes::Core;
  using Real = typename Passes::Number;
  using Input = typename Core::Input;

  StencilCgAhead(Core const& core, Passes const& passes) : core_(core), passes_(passes) {}

  void start(double product) const override { scalars_.begin(execution(only_block()), product); }

  void start_step(int buffer, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& q, Vector& r,
                  CgScaling const& scaling) const override {
    Block const& block = only_block();
    Step& step = steps_[static_cast<std::size_t>(buffer)];
    step.is_scaled = static_cast<bool>(scaling);
    Arguments const arguments{core_.view(x, block),
                              core_.view(*p, block),
                              core_.view(*q, block),
                              core_.view(r, block),
                              core_.view(scaling ? *scaling.z : r, block),
                              core_.view(scaling ? *scaling.inverse : r, block),
                              passes_.buffer_indices(),
                              {step.curvature.partials(), step.update.partials()}};
    bool const ran = step.work.run(execution(block), arguments, [&] { enqueue(block, step, x, p, q, r, scaling); });
    if (!ran) {
      passes_.replayed();
      if constexpr (Passes::recomputes_products) std::swap(p, q);
    }
    for (auto* const sums : {&step.curvature, &step.update}) sums->enqueued(execution(block));
  }

  [[nodiscard]] CgSums sums(int buffer) const override {
    Step const& step = steps_[static_cast<std::size_t>(buffer)];
    CgUpdate update{step.update.value()};
    if (step.is_scaled) update.product = step.update.value(1);
    return {step.curvature.value(), update};
  }

  [[nodiscard]] std::span<CgSums const> run_persistent(CgRecurrence const& recurrence, CgBounds const& bounds,
                                                       Vector& x, Vector& p, Vector& r) const override {
    if constexpr (Core::count > 1) {
      return {};
    } else {
      Block const& block = only_block();
      IndexRange const& all = core_.unknowns[block.local];
      // A single block can only be its own neighbour, along a periodic axis.
      Index period[3];
      for (int a = 0; a < 3; ++a) period[a] = block.neighbour(a, 1) ? all.extent(a) : 0;
      ScopedRegion const region("steps of conjugate gradients");
      int const taken = std::apply(
          [&](auto const&... k) {
            return resident_.run(execution(block), all, period, core_.functor(), core_.geometry(block), recurrence,
                                 bounds, core_.output(x, block), core_.output(p, block), core_.output(r, block),
                                 k->view(block)...);
          },
          core_.description.coefficients);
      for (Vector const* const written : {&x, &p, &r}) {
        Core::field(*written).mark_written(block, all, "steps of conjugate gradients");
      }
      measured_.resize(static_cast<std::size_t>(taken));
      for (std::size_t n = 0; n < measured_.size(); ++n) {
        measured_[n] = {resident_.measured()[2 * n], {resident_.measured()[2 * n + 1]}};
      }
      return measured_;
    }
  }

 private:
  struct Arguments {
    Input x;
    Input p;
    Input q;
    Input r;
    Input z;
    Input inverse;
    typename Passes::BufferIndices buffer_indices;
    void const* partials[2];
    [[nodiscard]] friend bool operator==(Arguments const&, Arguments const&) = default;
  };
  /// A step in flight.
  struct Step {
    Reduction<Execution> curvature, update;
    bool is_scaled = false;
    kernel::RepeatedWork<Execution, Arguments> work;
  };

  [[nodiscard]] Block const& only_block() const { return core_.mesh().blocks().front(); }

  void enqueue(Block const& block, Step& step, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& q,
               Vector& r, CgScaling const& scaling) const {
    Vector const& z = scaling ? *scaling.z : r;
    passes_.enqueue_direction(kernel::later_scalar<Real>(scalars_.alpha()), kernel::later_scalar<Real>(scalars_.beta()),
                              z, x, p, q, [&](std::size_t) -> Reduction<Execution>& { return step.curvature; });
    scalars_.find_alpha(execution(block), step.curvature.results());
    passes_.enqueue_update(kernel::later_scalar<Real>(scalars_.alpha()), *p, *q, r, scaling,
                           [&](std::size_t) -> Reduction<Execution>& { return step.update; });
    scalars_.find_beta(execution(block), step.update.results(), step.is_scaled);
  }

  Core const& core_;
  Passes const& passes_;
  CgScalars scalars_;
  mutable std::array<Step, 2> steps_;  ///< by buffer
  mutable kernel::ResidentCg<Execution> resident_;
  mutable std::vector<CgSums> measured_;  ///< dot products of the last run of steps
};

}  // namespace halocline
