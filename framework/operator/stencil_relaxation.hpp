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

  [[nodiscard]] JacobiSquares squares(int buffer) const override {
    double squares[2] = {core_.box_sum(0, buffer), core_.box_sum(1, buffer)};
    core_.mesh().communicator().sum(squares);
    return {.change = squares[0], .residual = squares[1]};
  }

  [[nodiscard]] bool run_ahead() const override { return !kernel::is_host<Execution>; }

 private:
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
    core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
      auto const out = outputs(core_.output(d, block), core_.output(x_new, block));
      if (direction == Real{0}) {
        core_.run(block, box, out, stencil_functor::ChebyshevStart<Real, Functor>{core_.functor(), residual},
                  core_.view(b, block), core_.view(x, block));
      } else {
        core_.run(block, box, out, stencil_functor::ChebyshevStep<Real, Functor>{core_.functor(), direction, residual},
                  core_.view(b, block), core_.view(x, block), core_.view(d, block));
      }
    });
  }

 private:
  Core const& core_;
};

/// Gauss-Seidel of a StencilOperator, one pass over memory for each colour.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilRelaxation final : public Relaxation {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Kernel = stencil_functor::ColourRelaxation<Real, Functor>;
  explicit StencilRelaxation(Core const& core) : core_(core) {}

  [[nodiscard]] int colours() const override { return Kernel::colours; }
  void relax(bool forward, Vector const& b, Vector& x) const override {
    for (int n = 0; n < Kernel::colours; ++n) {
      Kernel const kernel{core_.functor(), forward ? n : Kernel::colours - 1 - n};
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
        core_.run(block, box, core_.output(x, block), kernel, core_.view(b, block), core_.view(x, block));
      });
    }
  }

 private:
  Core const& core_;
};

}  // namespace halocline
