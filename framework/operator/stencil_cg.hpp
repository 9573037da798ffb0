#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "framework/kernel/scalar.hpp"
#include "framework/operator/cg_steps.hpp"
#include "framework/operator/stencil_cg_ahead.hpp"
#include "framework/operator/stencil_core.hpp"
#include "framework/operator/stencil_functors.hpp"
#include "framework/operator/vector_functors.hpp"

namespace halocline {

namespace stencil_functor {

/// A u and its product with u
template <class Real, class A>
struct ApplyDot {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<A>(n); }
  A a;
  template <class P, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 1> operator()(P const& at, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const value = a(at, u, k...);
    return {{value}, {product(u[here], value)}};
  }
};

/// Reads as the vector z + beta p.
template <class Real, class Z, class P>
struct Direction {
  Z const& z;
  P const& p;
  Real beta;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](Offset<I, J, K> offset) const {
    return z[offset] + beta * p[offset];
  }
};

/// x + alpha p, the new direction d = z + beta p, and d . A d
template <class Real, class A>
struct CgStep {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) {
    return n < 2 ? shape_of_input<A>(0) : n == 2 ? point : shape_of_input<A>(n - 2);
  }
  A a;
  kernel::Scalar<Real> alpha;
  kernel::Scalar<Real> beta;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CgStep bound() const { return {a, Real{alpha}, Real{beta}}; }
  template <class At, class Z, class P, class X, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 2, 1> operator()(At const& at, Z const& z, P const& p,
                                                                                   X const& x, K const&... k) const {
    Real const length = alpha;
    Direction<Real, Z, P> const direction{z, p, beta};
    PointUnknowns<Real, A> const d = direction[here];
    return {{vector_functor::moved(x[here], length, p[here]), d}, {product(d, a(at, direction, k...))}};
  }
};

/// r - alpha A p and its square
template <class Real, class A>
struct CgResidual {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  kernel::Scalar<Real> alpha;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CgResidual bound() const { return {a, Real{alpha}}; }
  template <class At, class R, class P, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 1> operator()(At const& at, R const& r, P const& p,
                                                                                   K const&... k) const {
    Real const length = alpha;
    PointUnknowns<Real, A> const left = r[here] - length * a(at, p, k...);
    return {{left}, {product(left, left)}};
  }
};

/// The same with a stored q = A p: r - alpha q and its square
template <class Real>
struct CgResidualOfProduct {
  static constexpr Shape shape = point;
  kernel::Scalar<Real> alpha;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CgResidualOfProduct bound() const { return {Real{alpha}}; }
  template <class At, class R, class Q>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(At const&, R const& r, Q const& q) const {
    Real const length = alpha;
    using Unknowns = std::remove_cvref_t<decltype(r[here])>;
    Unknowns const left = r[here] - length * q[here];
    return PointResult<Unknowns, 1, 1>{{left}, {product(left, left)}};
  }
};

}  // namespace stencil_functor

/// The passes of conjugate gradients of a StencilOperator: two over memory on devices, three on hosts.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilCg final : public CgSteps {
 public:
  using Core = StencilCore<Real, Functor, CoefficientCount>;
  using Number = Real;
  using Scalar = kernel::Scalar<Real>;

  /// A functor may declare that it is not symmetric: `static constexpr bool is_unsymmetric = true`. Then no passes for
  /// conjugate gradients are compiled, because the method would not converge.
  static constexpr bool is_symmetric = !requires { requires Functor::is_unsymmetric; };
  static constexpr bool has_passes = is_symmetric && !Core::is_long;
  /// Whether a step evaluates A p twice instead of storing it: 64 bytes per unknown in double precision instead of 80.
  /// Not with two or more coefficients, which would be read twice, nor on hosts, where arithmetic is scarcer than
  /// bandwidth.
  static constexpr bool recomputes_products = has_passes && !kernel::is_host<Execution> && CoefficientCount < 2;

  /// Collective.
  explicit StencilCg(Core const& core) : core_(core) {
    if constexpr (recomputes_products) {
      pair_halo_.emplace(*core.make_field(), core.unknowns, Functor::shape, core.description.transport, 2);
    }
  }

  double apply_dot(Vector const& x, Vector& y) const override {
    if constexpr (Core::is_long) {
      core_.long_product(0, x, 1, x, y);
      return core_.mesh().communicator().sum(core_.box_sum(1, Core::of_long_product));
    } else {
      enqueue_product(x, y, sums());
      return core_.total();
    }
  }
  double direction_apply_and_dot(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                                 std::unique_ptr<Vector>& q) const override {
    if constexpr (has_passes) {
      enqueue_direction(static_cast<Real>(alpha), static_cast<Real>(beta), z, x, p, q, sums());
      return core_.total();
    } else {
      return CgSteps::direction_apply_and_dot(alpha, beta, z, x, p, q);
    }
  }
  CgUpdate update_and_square(double alpha, Vector const& p, Vector const& q, Vector& r,
                             CgScaling const& scaling) const override {
    if constexpr (recomputes_products) {
      enqueue_update(static_cast<Real>(alpha), p, q, r, scaling, sums());
      if (!scaling) return {core_.total()};
      std::array<double, 2> found{core_.box_sum(0), core_.box_sum(1)};
      core_.mesh().communicator().sum(found);
      return {found[0], found[1]};
    } else {
      return CgSteps::update_and_square(alpha, p, q, r, scaling);
    }
  }
  [[nodiscard]] CgStepsAhead const* ahead() const override {
    if constexpr (has_passes && !kernel::is_host<Execution>) {
      if (ahead_ == nullptr && needs_no_host()) ahead_ = std::make_unique<StencilCgAhead<StencilCg>>(core_, *this);
    }
    return ahead_.get();
  }

  // Each pass enqueues its sweeps. Factors are numbers, or are read from device memory when the sweep runs. `sums(n)`
  // receives the sums of box n of the operator's halo.

  /// As direction_apply_and_dot. Afterwards q = A p, or the previous p where products are recomputed.
  template <class Sums>
  void enqueue_direction(Scalar alpha, Scalar beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                         std::unique_ptr<Vector>& q, Sums const& sums) const {
    if constexpr (recomputes_products) {
      stencil_functor::CgStep<Real, Functor> const kernel{core_.functor(), alpha, beta};
      pair_halo_->over({&Core::field(z), &Core::field(*p)},
                       [&](Block const& block, IndexRange const& box, std::size_t n) {
                         core_.run_reduce(block, box, sums(n), core_.outputs(block, x, *q), kernel,
                                          core_.view(z, block), core_.view(*p, block), core_.view(x, block));
                       });
      std::swap(p, q);
    } else {
      vector_functor::Advance<Real> const update{alpha, beta};
      for (Block const& block : core_.mesh().blocks()) {
        core_.run_on_vectors(block, core_.unknowns[block.local], core_.outputs(block, x, *p), update,
                             core_.view(x, block), core_.view(*p, block), core_.view(z, block));
      }
      enqueue_product(*p, *q, sums);
    }
  }
  /// As update_and_square.
  template <class Sums>
  void enqueue_update(Scalar alpha, Vector const& p, Vector const& q, Vector& r, CgScaling const& scaling,
                      Sums const& sums) const {
    if constexpr (recomputes_products) {
      stencil_functor::CgResidual<Real, Functor> const kernel{core_.functor(), alpha};
      core_.halo.over({&Core::field(p)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
        with_scaling(block, kernel, r, scaling, [&](auto const& out, auto const& update, auto const&... in) {
          core_.run_reduce(block, box, sums(n), out, update, in..., core_.view(p, block));
        });
      });
    } else {
      stencil_functor::CgResidualOfProduct<Real> const kernel{alpha};
      for (Block const& block : core_.mesh().blocks()) {
        with_scaling(block, kernel, r, scaling, [&](auto const& out, auto const& update, auto const&... in) {
          core_.reduce_on_vectors(block, core_.unknowns[block.local], sums(block.local), out, update, in...,
                                  core_.view(q, block));
        });
      }
    }
  }

  /// Buffer indices of the exchanges, as arguments that captured passes depend on.
  struct BufferIndices {
    int one;
    int two;
    [[nodiscard]] friend bool operator==(BufferIndices const&, BufferIndices const&) = default;
  };
  [[nodiscard]] BufferIndices buffer_indices() const {
    return {*core_.halo.buffer_index(), pair_halo_ ? *pair_halo_->buffer_index() : 0};
  }
  /// Call when the captured passes of a step were replayed.
  void replayed() const {
    core_.halo.replayed();
    if (pair_halo_) pair_halo_->replayed();
  }

 private:
  /// y = A x and x . y.
  template <class Sums>
  void enqueue_product(Vector const& x, Vector& y, Sums const& sums) const {
    stencil_functor::ApplyDot<Real, Functor> const kernel{core_.functor()};
    core_.halo.over({&Core::field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      core_.run_reduce(block, box, sums(n), core_.output(y, block), kernel, core_.view(x, block));
    });
  }
  /// Calls run(outputs, functor, inputs…) for an update of r, or for one that also makes z = M^-1 r.
  template <class Update, class Run>
  void with_scaling(Block const& block, Update const& update, Vector& r, CgScaling const& scaling,
                    Run const& run) const {
    if (!scaling) return run(core_.output(r, block), update, core_.view(r, block));
    run(core_.outputs(block, r, *scaling.z), vector_functor::UpdateAndScale<Update>{update},
        core_.view(*scaling.inverse, block), core_.view(r, block));
  }
  /// Whether no sum and no message passes through the host: there is one rank with one box.
  [[nodiscard]] bool needs_no_host() const {
    bool const is_one =
        core_.mesh().communicator().size() == 1 && core_.mesh().blocks().size() == 1 && core_.halo.boxes() == 1;
    return is_one && core_.halo.buffer_index() && (!pair_halo_ || pair_halo_->buffer_index());
  }
  [[nodiscard]] auto sums() const {
    return [this](std::size_t box) -> Reduction<Execution>& { return core_.sums_of(box); };
  }

  Core const& core_;
  std::optional<StencilHalo> pair_halo_;         ///< for two vectors at a time, if a step needs it
  mutable std::unique_ptr<CgStepsAhead> ahead_;  ///< made when first needed, if steps can be enqueued
};

}  // namespace halocline
