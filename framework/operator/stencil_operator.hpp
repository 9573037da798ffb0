#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "framework/operator/coarsening.hpp"
#include "framework/operator/single_precision_form.hpp"
#include "framework/operator/stencil_cg.hpp"
#include "framework/operator/stencil_core.hpp"
#include "framework/operator/stencil_relaxation.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {

/// A StencilOperator and its single-precision form. On hosts residuals are rounded in the pass that computes them.
template <class Real, class Functor, std::size_t CoefficientCount>
class RoundedStencil final : public SinglePrecisionForm {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  RoundedStencil(Core const& core, Operator const& exact, std::unique_ptr<Operator> rounded)
      : SinglePrecisionForm(exact, std::move(rounded)), core_(core) {}

  double residual(double scale, Vector const& b, Vector const& x, Vector& r) const override {
    // Device sweeps read and write only one precision.
    if constexpr (kernel::is_host<Execution> && std::is_same_v<Real, double> && !Core::is_long) {
      stencil_functor::RoundedResidual<Functor> const kernel{core_.functor(), scale};
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
        core_.run_reduce(block, box, core_.sums_of(n), core_.template views<float>(r, block), kernel,
                         core_.view(b, block), core_.view(x, block));
      });
      return core_.total() / (scale * scale);
    } else {
      return SinglePrecisionForm::residual(scale, b, x, r);
    }
  }

 private:
  Core const& core_;
};

/// In place of a capability that an operator does not have.
struct NoCapability {
  template <class Core>
  explicit NoCapability(Core const&) {}
};

/// The matrix-free operator (A u)(point) = functor(point, u, k…) on the unknowns of a field; u is zero outside of them.
/// Boundary conditions are in the coefficients, and ghosts of u beyond a physical face are zero. The functor is linear
/// in u. Matrix entries are found by evaluating it on unit vectors, so it need not provide its diagonal. Every
/// capability has its own file (stencil_cg.hpp, …).
///
/// A functor with several unknowns at a point declares `static constexpr int unknowns` and returns Values, as `u` does
/// at each offset. Its field has that many components, and smoothers solve for all unknowns of a point together.
///
/// A physics instantiates it once, in its own .cpp: `template class halocline::StencilOperator<double,
/// Diffusion<double>, 2>;`
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilOperator final : public Operator {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Description = typename Core::Description;
  using Coefficients = typename Description::Coefficients;

  /// Collective.
  explicit StencilOperator(Description description)
      : core_(std::move(description)),
        cg_(core_),
        jacobi_(core_),
        chebyshev_(core_),
        relaxation_(core_),
        blocks_(core_) {}

  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return core_.make_vector(); }
  void apply(Vector const& x, Vector& y) const override {
    if constexpr (Core::is_long) {
      core_.long_product(0, x, 1, x, y);
    } else {
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t) {
        core_.run(block, box, core_.output(y, block), functor(), core_.view(x, block));
      });
    }
  }
  double residual(Vector const& b, Vector const& x, Vector& r) const override {
    subtract_product(b, x, r);
    if constexpr (Core::is_long) {
      return mesh().communicator().sum(core_.box_sum(0, Core::of_long_product));
    } else {
      return core_.total();
    }
  }
  void subtract_product(Vector const& b, Vector const& x, Vector& r) const override {
    if constexpr (Core::is_long) {
      core_.long_product(1, b, -1, x, r);
    } else {
      stencil_functor::Residual<Real, Functor> const kernel{functor()};
      core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
        core_.run_reduce(block, box, core_.sums_of(n), core_.output(r, block), kernel, core_.view(b, block),
                         core_.view(x, block));
      });
    }
  }
  [[nodiscard]] bool diagonal(Vector& d) const override {
    stencil_functor::Diagonal<Real, Functor> const kernel{functor()};
    for (Block const& block : mesh().blocks()) {
      core_.run(block, core_.unknowns[block.local], core_.output(d, block), kernel);
    }
    return true;
  }
  [[nodiscard]] double norm_bound() const override {
    if constexpr (stencil_functor::HasRowSumBound<Functor>) return functor().row_sum_bound();
    stencil_functor::RowSum<Real, Functor> const kernel{functor()};
    Reduction<Execution, Maximum> largest;
    double bound = 0;
    for (Block const& block : mesh().blocks()) {
      core_.run_reduce(block, core_.unknowns[block.local], largest, no_outputs, kernel);
      bound = larger(bound, largest.value());
    }
    return mesh().communicator().max(bound);
  }
  [[nodiscard]] std::unique_ptr<Vector> null_space_measure() const override {
    if (!description().null_space_measure) return nullptr;
    auto measure = create_vector();
    description().null_space_measure(*measure);
    return measure;
  }

  [[nodiscard]] CgSteps const* cg() const override { return &cg_; }
  [[nodiscard]] JacobiSteps const* jacobi() const override { return &jacobi_; }
  [[nodiscard]] ChebyshevSteps const* chebyshev() const override { return &chebyshev_; }
  [[nodiscard]] Relaxation const* relaxation() const override { return &relaxation_; }
  [[nodiscard]] PointBlocks const* point_blocks() const override {
    if constexpr (Core::count > 1) return &blocks_;
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override {
    return description().coarsening ? description().coarsening(*this) : nullptr;
  }
  [[nodiscard]] std::unique_ptr<SinglePrecisionForm> in_single_precision() const override {
    if (!description().single_precision) return nullptr;
    return std::make_unique<RoundedStencil<Real, Functor, CoefficientCount>>(core_, *this,
                                                                             description().single_precision());
  }

  [[nodiscard]] Mesh const& mesh() const { return core_.mesh(); }
  [[nodiscard]] Functor const& functor() const { return core_.functor(); }
  [[nodiscard]] Coefficients const& coefficients() const { return core_.description.coefficients; }
  [[nodiscard]] Description const& description() const { return core_.description; }

 private:
  Core core_;
  StencilCg<Real, Functor, CoefficientCount> cg_;
  StencilJacobi<Real, Functor, CoefficientCount> jacobi_;
  StencilChebyshev<Real, Functor, CoefficientCount> chebyshev_;
  StencilRelaxation<Real, Functor, CoefficientCount> relaxation_;
  std::conditional_t<(Core::count > 1), StencilBlocks<Real, Functor, CoefficientCount>, NoCapability> blocks_;
};

}  // namespace halocline
