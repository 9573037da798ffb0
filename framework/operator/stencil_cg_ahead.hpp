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

/// Steps of conjugate gradients of a StencilOperator on a device, without the host: enqueued one by one, or, for a
/// small system, many in one kernel.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilCgAhead final : public CgStepsAhead {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Input = typename Core::Input;

  /// A functor may say that it is not symmetric: `static constexpr bool is_unsymmetric = true`. Then nothing is made
  /// for conjugate gradients, which would not converge.
  static constexpr bool is_symmetric = !requires { requires Functor::is_unsymmetric; };
  /// Whether a step evaluates A p twice and never stores it: 64 bytes an unknown in double precision in place of 80.
  /// Coefficients would be read twice, and hosts have more bytes than operations to spare.
  static constexpr bool recomputes_products = !kernel::is_host<Execution> && CoefficientCount < 2;
  static constexpr bool possible = !kernel::is_host<Execution> && is_symmetric;

  /// \param pair_halo for two vectors at a time; null unless `recomputes_products`
  StencilCgAhead(Core const& core, StencilHalo const* pair_halo) : core_(core), pair_halo_(pair_halo) {}

  /// Whether no sum comes by way of the host: there is one rank, and one box on it.
  [[nodiscard]] static bool can_run(Core const& core, StencilHalo const* pair_halo) {
    bool const is_one =
        core.mesh().communicator().size() == 1 && core.mesh().blocks().size() == 1 && core.halo.boxes() == 1;
    return is_one && core.halo.turn() && (pair_halo == nullptr || pair_halo->turn());
  }

  void start(double square) const override { scalars_.begin(execution(only_block()), square); }

  void start_step(int buffer, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& work,
                  Vector& r) const override {
    Block const& block = only_block();
    Step& step = steps_[static_cast<std::size_t>(buffer)];
    Arguments const arguments{core_.view(x, block),
                              core_.view(*p, block),
                              core_.view(*work, block),
                              core_.view(r, block),
                              {*core_.halo.turn(), pair_halo_ != nullptr ? *pair_halo_->turn() : 0},
                              {step.curvature.partials(), step.residual.partials()}};
    if (!step.work.run(execution(block), arguments, [&] { enqueue(block, step, x, *p, *work, r); })) {
      core_.halo.replayed();
      if (pair_halo_ != nullptr) pair_halo_->replayed();
    }
    for (auto* const sums : {&step.curvature, &step.residual}) sums->enqueued(execution(block));
    if constexpr (recomputes_products) std::swap(p, work);
  }

  [[nodiscard]] CgSquares squares(int buffer) const override {
    Step const& step = steps_[static_cast<std::size_t>(buffer)];
    return {.curvature = step.curvature.value(), .residual = step.residual.value()};
  }

  [[nodiscard]] std::span<CgSquares const> take_steps(CgBounds const& bounds, Vector& x, Vector& p,
                                                      Vector& r) const override {
    Block const& block = only_block();
    IndexRange const& all = core_.unknowns[block.local];
    // One block has no neighbour but itself, around the end.
    Index period[3];
    for (int a = 0; a < 3; ++a) period[a] = block.neighbour(a, 1) ? all.extent(a) : 0;
    ScopedRegion const region("steps of conjugate gradients");
    int const taken = std::apply(
        [&](auto const&... k) {
          return resident_.run(execution(block), all, period, core_.functor(), core_.geometry(block), bounds,
                               core_.output(x, block), core_.output(p, block), core_.output(r, block),
                               k->view(block)...);
        },
        core_.description.coefficients);
    for (Vector const* const written : {&x, &p, &r}) {
      Core::field(*written).mark_written(block, all, "steps of conjugate gradients");
    }
    measured_.resize(static_cast<std::size_t>(taken));
    for (std::size_t n = 0; n < measured_.size(); ++n) {
      measured_[n] = {resident_.measured()[2 * n], resident_.measured()[2 * n + 1]};
    }
    return measured_;
  }

 private:
  struct Arguments {
    Input x;
    Input p;
    Input work;
    Input r;
    int turns[2];  ///< of the exchanges
    void const* partials[2];
    [[nodiscard]] friend bool operator==(Arguments const&, Arguments const&) = default;
  };
  /// A step that is on its way.
  struct Step {
    Reduction<Execution> curvature, residual;
    kernel::RepeatedWork<Execution, Arguments> work;
  };

  [[nodiscard]] Block const& only_block() const { return core_.mesh().blocks().front(); }

  void enqueue(Block const& block, Step& step, Vector& x, Vector& p, Vector& work, Vector& r) const {
    kernel::Scalar<Real> const alpha(scalars_.alpha());
    kernel::Scalar<Real> const beta(scalars_.beta());
    if constexpr (recomputes_products) {
      pair_halo_->over({&Core::field(r), &Core::field(p)}, [&](Block const&, IndexRange const& box, std::size_t) {
        core_.run_reduce(block, box, step.curvature, outputs(core_.output(x, block), core_.output(work, block)),
                         stencil_functor::CgStep<Real, Functor>{core_.functor(), alpha, beta}, core_.view(r, block),
                         core_.view(p, block), core_.view(x, block));
      });
      scalars_.find_alpha(execution(block), step.curvature.results());
      core_.halo.over({&Core::field(work)}, [&](Block const&, IndexRange const& box, std::size_t) {
        core_.run_reduce(block, box, step.residual, core_.output(r, block),
                         stencil_functor::CgResidual<Real, Functor>{core_.functor(), alpha}, core_.view(r, block),
                         core_.view(work, block));
      });
    } else {
      IndexRange const& all = core_.unknowns[block.local];
      sweep(execution(block), all, core_.geometry(block), outputs(core_.output(x, block), core_.output(p, block)),
            stencil_functor::CgUpdate<Real>{alpha, beta}, core_.view(x, block), core_.view(p, block),
            core_.view(r, block));
      core_.halo.over({&Core::field(p)}, [&](Block const&, IndexRange const& box, std::size_t) {
        core_.run_reduce(block, box, step.curvature, core_.output(work, block),
                         stencil_functor::ApplyDot<Real, Functor>{core_.functor()}, core_.view(p, block));
      });
      scalars_.find_alpha(execution(block), step.curvature.results());
      sweep_reduce(execution(block), all, core_.geometry(block), step.residual, core_.output(r, block),
                   stencil_functor::CgResidualOfProduct<Real>{alpha}, core_.view(r, block), core_.view(work, block));
    }
    scalars_.find_beta(execution(block), step.residual.results());
  }

  Core const& core_;
  StencilHalo const* pair_halo_;
  CgScalars scalars_;
  mutable std::array<Step, 2> steps_;  ///< by buffer
  mutable kernel::ResidentCg<Execution> resident_;
  mutable std::vector<CgSquares> measured_;  ///< by the steps that were taken last
};

}  // namespace halocline
