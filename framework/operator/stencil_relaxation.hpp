#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "framework/kernel/repeated_work.hpp"
#include "framework/operator/relaxation.hpp"
#include "framework/operator/stencil_core.hpp"

namespace halocline {

/// Jacobi steps of a StencilOperator, one pass over memory each.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilJacobi final : public JacobiSteps {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  explicit StencilJacobi(Core const& core) : core_(core) {}

  void start_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const override {
    if constexpr (Core::is_long) {
      Vector const& r = core_.long_residual(b, x);
      stencil_functor::JacobiOfResidual<Real, Functor> const kernel{core_.functor(), static_cast<Real>(weight)};
      for (Block const& block : core_.mesh().blocks()) {
        core_.run_reduce(block, core_.unknowns[block.local], core_.sums_of(block.local, buffer),
                         core_.output(x_new, block), kernel, core_.view(r, block), core_.view(x, block));
      }
    } else {
      start_fused_step(buffer, weight, b, x, x_new);
    }
  }

  [[nodiscard]] JacobiSquares squares(int buffer) const override {
    double squares[2] = {0, 0};
    std::size_t const boxes = Core::is_long ? core_.mesh().blocks().size() : core_.halo.boxes();
    for (std::size_t box = 0; box < boxes; ++box) {
      for (int n = 0; n < 2; ++n) squares[n] += core_.sums_of(box, buffer).value(n);
    }
    core_.mesh().communicator().sum(squares);
    return {.change = squares[0], .residual = squares[1]};
  }

  [[nodiscard]] bool run_ahead() const override { return !kernel::is_host<Execution> && !Core::is_long; }

 private:
  void start_fused_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const {
    stencil_functor::JacobiStep<Real, Functor> const kernel{core_.functor(), static_cast<Real>(weight)};
    auto const step = [&] {
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
        core_.run_reduce(block, box, core_.sums_of(n, buffer), core_.output(x_new, block), kernel, core_.view(b, block),
                         core_.view(x, block));
      });
    };
    std::optional<int> const buffer_index = core_.halo.buffer_index();
    if (!buffer_index || core_.mesh().blocks().size() != 1) return step();
    Block const& block = core_.mesh().blocks().front();
    Reduction<Execution> const& sums = core_.sums_of(0, buffer);
    Arguments const arguments{
        core_.view(b, block), core_.view(x, block), core_.output(x_new, block), weight, *buffer_index,
        sums.partials(),      sums.results()};
    if (!steps_[static_cast<std::size_t>(buffer)].run(execution(block), arguments, step)) core_.halo.replayed();
    for (std::size_t box = 0; box < core_.halo.boxes(); ++box) core_.sums_of(box, buffer).enqueued(execution(block));
  }

  struct Arguments {
    typename Core::Input b;
    typename Core::Input x;
    typename Core::Output x_new;
    double weight;
    int buffer_index;  ///< of the exchange
    void const* partials;
    void const* results;
    [[nodiscard]] friend bool operator==(Arguments const&, Arguments const&) = default;
  };

  Core const& core_;
  mutable std::array<kernel::RepeatedWork<Execution, Arguments>, 2> steps_;  ///< by buffer
};

/// Chebyshev steps of a StencilOperator, one pass over memory each.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilChebyshev final : public ChebyshevSteps {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  explicit StencilChebyshev(Core const& core) : core_(core) {}

  void step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
            Vector& x_new) const override {
    auto const residual = static_cast<Real>(coefficients.residual);
    auto const direction = static_cast<Real>(coefficients.direction);
    if constexpr (Core::is_long) {
      Vector const& r = core_.long_residual(b, x);
      stencil_functor::ChebyshevOfResidual<Real, Functor> const kernel{core_.functor(), direction, residual};
      for (Block const& block : core_.mesh().blocks()) {
        // Without a previous direction any vector may be in its place.
        core_.run(block, core_.unknowns[block.local], core_.outputs(block, d, x_new), kernel, core_.view(r, block),
                  core_.view(x, block), core_.view(direction == Real{0} ? r : d, block));
      }
    } else {
      step_fused(residual, direction, b, x, d, x_new);
    }
  }

 private:
  void step_fused(Real residual, Real direction, Vector const& b, Vector const& x, Vector& d, Vector& x_new) const {
    core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
      auto const out = core_.outputs(block, d, x_new);
      if (direction == Real{0}) {
        core_.run(block, box, out, stencil_functor::ChebyshevStart<Real, Functor>{core_.functor(), residual},
                  core_.view(b, block), core_.view(x, block));
      } else {
        core_.run(block, box, out, stencil_functor::ChebyshevStep<Real, Functor>{core_.functor(), direction, residual},
                  core_.view(b, block), core_.view(x, block), core_.view(d, block));
      }
    });
  }

  Core const& core_;
};

/// The blocks of the points of a StencilOperator.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilBlocks final : public PointBlocks {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  explicit StencilBlocks(Core const& core) : core_(core) {}

  double solve(Vector const& r, Vector& z) const override {
    stencil_functor::SolvePoint<Real, Functor> const kernel{core_.functor()};
    for (Block const& block : core_.mesh().blocks()) {
      core_.run_reduce(block, core_.unknowns[block.local], core_.sums_of(block.local), core_.output(z, block), kernel,
                       core_.view(r, block));
    }
    double dot = 0;
    for (Block const& block : core_.mesh().blocks()) dot += core_.sums_of(block.local).value();
    return core_.mesh().communicator().sum(dot);
  }

 private:
  Core const& core_;
};

/// Gauss-Seidel of a StencilOperator, one pass over memory for each colour. A long functor is evaluated at all points
/// for each colour.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilRelaxation final : public Relaxation {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Kernel = stencil_functor::ColourRelaxation<Real, Functor>;
  explicit StencilRelaxation(Core const& core) : core_(core) {}

  [[nodiscard]] int colours() const override { return Kernel::colours; }
  [[nodiscard]] bool is_cheap() const override { return !Core::is_long; }
  void relax(bool forward, Vector const& b, Vector& x) const override {
    for (int n = 0; n < Kernel::colours; ++n) relax_colour(forward ? n : Kernel::colours - 1 - n, b, x);
  }

 private:
  void relax_colour(int colour, Vector const& b, Vector& x) const {
    if constexpr (Core::is_long) {
      Vector const& r = core_.long_residual(b, x);
      stencil_functor::ColourOfResidual<Real, Functor> const kernel{core_.functor(), colour};
      for (Block const& block : core_.mesh().blocks()) {
        core_.run(block, core_.unknowns[block.local], core_.output(x, block), kernel, core_.view(r, block),
                  core_.view(x, block));
      }
    } else {
      Kernel const kernel{core_.functor(), colour};
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
        core_.run(block, box, core_.output(x, block), kernel, core_.view(b, block), core_.view(x, block));
      });
    }
  }

  Core const& core_;
};

}  // namespace halocline
