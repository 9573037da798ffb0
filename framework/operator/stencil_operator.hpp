#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/kernel/repeated_work.hpp"
#include "framework/kernel/resident_cg.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/cg_scalars.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/probing.hpp"
#include "framework/operator/stencil_functors.hpp"
#include "framework/operator/stencil_halo.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {

/// The matrix-free operator (A u)(point) = functor(point, u, k…) on the unknowns of a field, u being zero outside of
/// them. The functor is linear in u; entries of the matrix are found by evaluating it on unit vectors, so it need not
/// say its diagonal. Every capability is one pass over memory (cg_step two on hosts).
///
/// Ghosts of u beyond a physical face are zero (the boundary condition is in the coefficients), or, with
/// `Description::boundary`, follow the homogeneous part of the conditions; then steps that need the diagonal are made
/// of several passes.
///
/// A physics instantiates it once, in its own .cpp: `template class halocline::StencilOperator<double,
/// Diffusion<double>, 2>;`
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilOperator final : public Operator {
 public:
  using Coefficients = std::array<std::shared_ptr<Field<Real> const>, CoefficientCount>;
  /// Makes the next coarser operator and the way there, or null at the coarsest. Collective.
  using CoarseningFactory = std::function<std::unique_ptr<Coarsening>(StencilOperator const&)>;
  /// Makes the same operator in single precision. Collective.
  using SinglePrecisionFactory = std::function<std::unique_ptr<Operator>()>;
  /// Fills a vector of the operator's space. Collective.
  using Filling = std::function<void(Vector&)>;

  struct Description {
    std::shared_ptr<Mesh const> mesh;
    Centring centring = Centring::cell;
    Functor functor;
    Coefficients coefficients{};         ///< with ghosts for their shapes, valid where the functor reads them
    std::vector<IndexRange> unknowns{};  ///< by Block::local, in local indices; empty: all owned entries
    std::optional<BoundaryConditions> boundary{};
    CoarseningFactory coarsening{};
    SinglePrecisionFactory single_precision{};
    Filling null_space_measure{};                  ///< see Operator::null_space_measure; empty: null
    std::shared_ptr<Transport const> transport{};  ///< null: the default of Exchange
  };

  /// Collective.
  explicit StencilOperator(Description description);

  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override;
  void apply(Vector const& x, Vector& y) const override;
  double residual(Vector const& b, Vector const& x, Vector& r) const override;
  double rounded_residual(double scale, Vector const& b, Vector const& x, Vector& r) const override;
  double apply_dot(Vector const& x, Vector& y) const override;
  double cg_step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                 std::unique_ptr<Vector>& work) const override;
  double cg_residual(double alpha, Vector const& p, Vector const& work, Vector& r) const override;
  [[nodiscard]] bool cg_runs_ahead() const override;
  void start_cg(double square) const override;
  void start_cg_step(int slot, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& work,
                     Vector& r) const override;
  [[nodiscard]] CgSquares cg_squares(int slot) const override;
  [[nodiscard]] std::span<CgSquares const> take_cg_steps(CgBounds const& bounds, Vector& x, Vector& p,
                                                         Vector& r) const override;
  [[nodiscard]] bool diagonal(Vector& d) const override;
  void start_jacobi_step(int slot, double weight, Vector const& b, Vector const& x, Vector& x_new) const override;
  [[nodiscard]] JacobiSquares jacobi_squares(int slot) const override;
  [[nodiscard]] bool steps_run_ahead() const override { return !kernel::is_host<Execution> && !description_.boundary; }
  void chebyshev_step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
                      Vector& x_new) const override;
  [[nodiscard]] int colours() const override {
    return description_.boundary ? 0 : stencil_functor::ColourSweep<Real, Functor>::colours;
  }
  void gauss_seidel_sweep(bool forward, Vector const& b, Vector& x) const override;
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override;
  [[nodiscard]] std::unique_ptr<Operator> in_single_precision() const override {
    return description_.single_precision ? description_.single_precision() : nullptr;
  }
  [[nodiscard]] std::unique_ptr<Vector> null_space_measure() const override {
    if (!description_.null_space_measure) return nullptr;
    auto measure = create_vector();
    description_.null_space_measure(*measure);
    return measure;
  }
  [[nodiscard]] double norm_bound() const override;

  [[nodiscard]] Mesh const& mesh() const { return *description_.mesh; }
  [[nodiscard]] Functor const& functor() const { return description_.functor; }
  [[nodiscard]] Coefficients const& coefficients() const { return description_.coefficients; }
  [[nodiscard]] Description const& description() const { return description_; }

 private:
  using Output = FieldView<Real>;
  using Input = FieldView<Real const>;
  static FieldVector<Real> const& cast(Vector const& x) { return as_field_vector<Real>(x); }
  [[nodiscard]] Input view(Vector const& x, Block const& block) const { return cast(x).field().view(block); }
  [[nodiscard]] Output output(Vector& x, Block const& block) const { return cast(x).field().view(block); }

  static std::shared_ptr<Field<Real>> make_field(Description const& description);
  static std::vector<IndexRange> find_unknowns(Description const& description);
  template <class Out, class Kernel, class... In>
  void run(Block const& block, IndexRange const& box, Out const& out, Kernel const& kernel, In... in) const;
  template <class Sums, class Out, class Kernel, class... In>
  void run_reduce(Block const& block, IndexRange const& box, Sums& sums, Out const& out, Kernel const& kernel,
                  In... in) const;
  /// Adds up the n-th sum of all boxes of this rank.
  [[nodiscard]] double box_sum(int n, int slot = 0) const;
  [[nodiscard]] Reduction<Execution>& sums_of(std::size_t box, int slot) const {
    return sums_[static_cast<std::size_t>(slot) * halo_.boxes() + box];
  }

  struct JacobiArguments {
    Input b;
    Input x;
    Output x_new;
    double weight;
    int turn;  ///< of the exchange
    void const* partials;
    void const* results;
    [[nodiscard]] friend bool operator==(JacobiArguments const&, JacobiArguments const&) = default;
  };

  /// Whether a step of conjugate gradients evaluates A p twice and never stores it: 64 bytes an unknown in double
  /// precision in place of 80. Coefficients would be read twice, and hosts have more bytes than operations to spare.
  static constexpr bool recomputes_products = !kernel::is_host<Execution> && CoefficientCount < 2;

  /// A functor may say that it is not: `static constexpr bool is_unsymmetric = true`. Then nothing is made for
  /// conjugate gradients, which would not converge.
  static constexpr bool is_symmetric = !requires { requires Functor::is_unsymmetric; };

  /// Whether steps of conjugate gradients can be taken without the host.
  static constexpr bool enqueues_cg = !kernel::is_host<Execution> && is_symmetric;

  struct CgArguments {
    Input x;
    Input p;
    Input work;
    Input r;
    int turns[2];  ///< of the exchanges
    void const* partials[2];
    [[nodiscard]] friend bool operator==(CgArguments const&, CgArguments const&) = default;
  };
  /// A step of conjugate gradients that is on its way.
  struct CgStepAhead {
    Reduction<Execution> curvature, residual;
    kernel::RepeatedWork<Execution, CgArguments> work;
  };
  struct CgAhead {
    CgScalars scalars;
    std::array<CgStepAhead, 2> steps;  ///< by slot
  };
  /// Steps that are taken by themselves, and what those of the last call measured.
  struct CgAlone {
    kernel::ResidentCg<Execution> steps;
    std::vector<CgSquares> measured;
  };
  void enqueue_cg_step(Block const& block, CgStepAhead& step, Vector& x, Vector& p, Vector& work, Vector& r) const;

  Description description_;
  std::vector<IndexRange> unknowns_;  ///< by Block::local
  StencilHalo halo_;
  std::optional<StencilHalo> pair_halo_;  ///< for two vectors at a time, where a step needs that
  std::vector<BlockGeometry<Real>> geometry_;
  mutable std::vector<Reduction<Execution>> sums_;  ///< one for each box of `halo_`, for each of two slots
  mutable std::array<kernel::RepeatedWork<Execution, JacobiArguments>, 2> jacobi_steps_;  ///< by slot
  mutable std::unique_ptr<CgAhead> cg_ahead_;                                             ///< made when first needed
  mutable std::unique_ptr<CgAlone> cg_alone_;                                             ///< likewise
  mutable std::unique_ptr<Vector> probed_diagonal_;  ///< with `Description::boundary`, once asked for
};

template <class Real, class Functor, std::size_t CoefficientCount>
std::shared_ptr<Field<Real>> StencilOperator<Real, Functor, CoefficientCount>::make_field(
    Description const& description) {
  return std::make_shared<Field<Real>>(
      description.mesh,
      FieldDescription{.name = "vector", .centring = description.centring, .ghosts = Functor::shape.radius});
}

template <class Real, class Functor, std::size_t CoefficientCount>
std::vector<IndexRange> StencilOperator<Real, Functor, CoefficientCount>::find_unknowns(
    Description const& description) {
  std::vector<IndexRange> unknowns = description.unknowns;
  if (unknowns.empty()) {
    for (Block const& block : description.mesh->blocks()) {
      unknowns.push_back(description.mesh->owned(block, description.centring));
    }
  }
  return unknowns;
}

template <class Real, class Functor, std::size_t CoefficientCount>
StencilOperator<Real, Functor, CoefficientCount>::StencilOperator(Description description)
    : description_(std::move(description)),
      unknowns_(find_unknowns(description_)),
      halo_(*make_field(description_), unknowns_, Functor::shape, description_.boundary, description_.transport),
      sums_(2 * halo_.boxes()) {
  if constexpr (recomputes_products) {
    pair_halo_.emplace(*make_field(description_), unknowns_, Functor::shape, description_.boundary,
                       description_.transport, 2);
  }
  int input = 1;  // after the vector
  for (auto const& coefficient : description_.coefficients) {
    if (coefficient->ghosts() < shape_of_input<Functor>(input).radius) {
      throw DefectError("a stencil reaches beyond the ghosts of `" + coefficient->name() + "`");
    }
    ++input;
  }
  for (Block const& block : mesh().blocks()) geometry_.emplace_back(mesh(), block, description_.centring);
}

template <class Real, class Functor, std::size_t CoefficientCount>
template <class Out, class Kernel, class... In>
void StencilOperator<Real, Functor, CoefficientCount>::run(Block const& block, IndexRange const& box, Out const& out,
                                                           Kernel const& kernel, In... in) const {
  std::apply(
      [&](auto const&... k) {
        sweep(execution(block), box, geometry_[block.local].geometry(), out, kernel, in..., k->view(block)...);
      },
      description_.coefficients);
}

template <class Real, class Functor, std::size_t CoefficientCount>
template <class Sums, class Out, class Kernel, class... In>
void StencilOperator<Real, Functor, CoefficientCount>::run_reduce(Block const& block, IndexRange const& box, Sums& sums,
                                                                  Out const& out, Kernel const& kernel,
                                                                  In... in) const {
  std::apply(
      [&](auto const&... k) {
        sweep_reduce(execution(block), box, geometry_[block.local].geometry(), sums, out, kernel, in...,
                     k->view(block)...);
      },
      description_.coefficients);
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::box_sum(int n, int slot) const {
  double total = 0;
  for (std::size_t box = 0; box < halo_.boxes(); ++box) total += sums_of(box, slot).value(n);
  return total;
}

template <class Real, class Functor, std::size_t CoefficientCount>
std::unique_ptr<Vector> StencilOperator<Real, Functor, CoefficientCount>::create_vector() const {
  return std::make_unique<FieldVector<Real>>(make_field(description_), unknowns_);
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::apply(Vector const& x, Vector& y) const {
  halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t) {
    run(block, box, output(y, block), functor(), view(x, block));
  });
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::residual(Vector const& b, Vector const& x, Vector& r) const {
  stencil_functor::Residual<Real, Functor> const kernel{functor()};
  halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t n) {
    run_reduce(block, box, sums_[n], output(r, block), kernel, view(b, block), view(x, block));
  });
  return mesh().communicator().sum(box_sum(0));
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::rounded_residual(double scale, Vector const& b,
                                                                          Vector const& x, Vector& r) const {
  // Sweeps of devices bring what they read and write in one precision.
  if constexpr (kernel::is_host<Execution> && std::is_same_v<Real, double>) {
    stencil_functor::RoundedResidual<Functor> const kernel{functor(), scale};
    Field<float>& rounded = as_field_vector<float>(r).field();
    halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      run_reduce(block, box, sums_[n], rounded.view(block), kernel, view(b, block), view(x, block));
    });
    return mesh().communicator().sum(box_sum(0)) / (scale * scale);
  } else {
    return Operator::rounded_residual(scale, b, x, r);
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::apply_dot(Vector const& x, Vector& y) const {
  stencil_functor::ApplyDot<Real, Functor> const kernel{functor()};
  halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t n) {
    run_reduce(block, box, sums_[n], output(y, block), kernel, view(x, block));
  });
  return mesh().communicator().sum(box_sum(0));
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::cg_step(double alpha, double beta, Vector const& z, Vector& x,
                                                                 std::unique_ptr<Vector>& p,
                                                                 std::unique_ptr<Vector>& work) const {
  if constexpr (!is_symmetric) {
    return Operator::cg_step(alpha, beta, z, x, p, work);
  } else if constexpr (recomputes_products) {
    stencil_functor::CgStep<Real, Functor> const kernel{functor(), static_cast<Real>(alpha), static_cast<Real>(beta)};
    pair_halo_->over({&cast(z).field(), &cast(*p).field()},
                     [&](Block const& block, IndexRange const& box, std::size_t n) {
                       run_reduce(block, box, sums_[n], outputs(output(x, block), output(*work, block)), kernel,
                                  view(z, block), view(*p, block), view(x, block));
                     });
    std::swap(p, work);
    return mesh().communicator().sum(box_sum(0));
  } else {
    stencil_functor::CgUpdate<Real> const update{static_cast<Real>(alpha), static_cast<Real>(beta)};
    for (Block const& block : mesh().blocks()) {
      sweep(execution(block), unknowns_[block.local], geometry_[block.local].geometry(),
            outputs(output(x, block), output(*p, block)), update, view(x, block), view(*p, block), view(z, block));
    }
    return apply_dot(*p, *work);
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::cg_residual(double alpha, Vector const& p, Vector const& work,
                                                                     Vector& r) const {
  if constexpr (is_symmetric && recomputes_products) {
    stencil_functor::CgResidual<Real, Functor> const kernel{functor(), static_cast<Real>(alpha)};
    halo_.over({&cast(p).field()}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      run_reduce(block, box, sums_[n], output(r, block), kernel, view(r, block), view(p, block));
    });
    return mesh().communicator().sum(box_sum(0));
  } else {
    return Operator::cg_residual(alpha, p, work, r);
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
bool StencilOperator<Real, Functor, CoefficientCount>::cg_runs_ahead() const {
  if constexpr (!enqueues_cg) {
    return false;
  } else {
    // Sums of other ranks and other boxes come by way of the host.
    bool const is_one = mesh().communicator().size() == 1 && mesh().blocks().size() == 1 && halo_.boxes() == 1;
    return is_one && !description_.boundary && halo_.turn() && (!pair_halo_ || pair_halo_->turn());
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::start_cg(double square) const {
  if (!cg_runs_ahead()) return Operator::start_cg(square);
  if (cg_ahead_ == nullptr) cg_ahead_ = std::make_unique<CgAhead>();
  cg_ahead_->scalars.begin(execution(mesh().blocks().front()), square);
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::start_cg_step(int slot, Vector& x, std::unique_ptr<Vector>& p,
                                                                     std::unique_ptr<Vector>& work, Vector& r) const {
  if constexpr (!enqueues_cg) {
    Operator::start_cg_step(slot, x, p, work, r);
  } else {
    if (cg_ahead_ == nullptr) return Operator::start_cg_step(slot, x, p, work, r);
    Block const& block = mesh().blocks().front();
    CgStepAhead& step = cg_ahead_->steps[static_cast<std::size_t>(slot)];
    CgArguments const arguments{view(x, block),
                                view(*p, block),
                                view(*work, block),
                                view(r, block),
                                {*halo_.turn(), pair_halo_ ? *pair_halo_->turn() : 0},
                                {step.curvature.partials(), step.residual.partials()}};
    if (!step.work.run(execution(block), arguments, [&] { enqueue_cg_step(block, step, x, *p, *work, r); })) {
      halo_.replayed();
      if (pair_halo_) pair_halo_->replayed();
    }
    for (auto* const sums : {&step.curvature, &step.residual}) sums->enqueued(execution(block));
    if constexpr (recomputes_products) std::swap(p, work);
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::enqueue_cg_step(Block const& block, CgStepAhead& step, Vector& x,
                                                                       Vector& p, Vector& work, Vector& r) const {
  if constexpr (enqueues_cg) {
    using kernel::Scalar;
    CgScalars const& scalars = cg_ahead_->scalars;
    Scalar<Real> const alpha(scalars.alpha());
    Scalar<Real> const beta(scalars.beta());
    if constexpr (recomputes_products) {
      pair_halo_->over({&cast(r).field(), &cast(p).field()}, [&](Block const&, IndexRange const& box, std::size_t) {
        run_reduce(block, box, step.curvature, outputs(output(x, block), output(work, block)),
                   stencil_functor::CgStep<Real, Functor>{functor(), alpha, beta}, view(r, block), view(p, block),
                   view(x, block));
      });
      scalars.find_alpha(execution(block), step.curvature.results());
      halo_.over({&cast(work).field()}, [&](Block const&, IndexRange const& box, std::size_t) {
        run_reduce(block, box, step.residual, output(r, block),
                   stencil_functor::CgResidual<Real, Functor>{functor(), alpha}, view(r, block), view(work, block));
      });
    } else {
      IndexRange const& all = unknowns_[block.local];
      auto const& geometry = geometry_[block.local].geometry();
      sweep(execution(block), all, geometry, outputs(output(x, block), output(p, block)),
            stencil_functor::CgUpdate<Real>{alpha, beta}, view(x, block), view(p, block), view(r, block));
      halo_.over({&cast(p).field()}, [&](Block const&, IndexRange const& box, std::size_t) {
        run_reduce(block, box, step.curvature, output(work, block), stencil_functor::ApplyDot<Real, Functor>{functor()},
                   view(p, block));
      });
      scalars.find_alpha(execution(block), step.curvature.results());
      sweep_reduce(execution(block), all, geometry, step.residual, output(r, block),
                   stencil_functor::CgResidualOfProduct<Real>{alpha}, view(r, block), view(work, block));
    }
    scalars.find_beta(execution(block), step.residual.results());
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
CgSquares StencilOperator<Real, Functor, CoefficientCount>::cg_squares(int slot) const {
  if (cg_ahead_ == nullptr) return Operator::cg_squares(slot);
  CgStepAhead const& step = cg_ahead_->steps[static_cast<std::size_t>(slot)];
  return {.curvature = step.curvature.value(), .residual = step.residual.value()};
}

template <class Real, class Functor, std::size_t CoefficientCount>
std::span<CgSquares const> StencilOperator<Real, Functor, CoefficientCount>::take_cg_steps(CgBounds const& bounds,
                                                                                           Vector& x, Vector& p,
                                                                                           Vector& r) const {
  if constexpr (!enqueues_cg) {
    return Operator::take_cg_steps(bounds, x, p, r);
  } else {
    if (!cg_runs_ahead()) return {};
    Block const& block = mesh().blocks().front();
    IndexRange const& all = unknowns_[block.local];
    // One block has no neighbour but itself, around the end.
    Index period[3];
    for (int a = 0; a < 3; ++a) period[a] = block.neighbour(a, 1) ? all.extent(a) : 0;
    if (cg_alone_ == nullptr) cg_alone_ = std::make_unique<CgAlone>();
    ScopedRegion const region("steps of conjugate gradients");
    int const taken = std::apply(
        [&](auto const&... k) {
          return cg_alone_->steps.run(execution(block), all, period, functor(), geometry_[block.local].geometry(),
                                      bounds, output(x, block), output(p, block), output(r, block), k->view(block)...);
        },
        description_.coefficients);
    for (Vector const* const written : {&x, &p, &r}) {
      cast(*written).field().mark_written(block, all, "steps of conjugate gradients");
    }
    cg_alone_->measured.resize(static_cast<std::size_t>(taken));
    for (std::size_t n = 0; n < cg_alone_->measured.size(); ++n) {
      cg_alone_->measured[n] = {cg_alone_->steps.measured()[2 * n], cg_alone_->steps.measured()[2 * n + 1]};
    }
    return cg_alone_->measured;
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
bool StencilOperator<Real, Functor, CoefficientCount>::diagonal(Vector& d) const {
  if (description_.boundary) {
    if (!probed_diagonal_) {
      probed_diagonal_ = create_vector();
      probe_diagonal<Real>(*this, Functor::shape.radius, *probed_diagonal_);
    }
    d.copy(*probed_diagonal_);
    return true;
  }
  stencil_functor::Diagonal<Real, Functor> const kernel{functor()};
  for (Block const& block : mesh().blocks()) run(block, unknowns_[block.local], output(d, block), kernel);
  return true;
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::start_jacobi_step(int slot, double weight, Vector const& b,
                                                                         Vector const& x, Vector& x_new) const {
  if (description_.boundary) return Operator::start_jacobi_step(slot, weight, b, x, x_new);
  stencil_functor::JacobiStep<Real, Functor> const kernel{functor(), static_cast<Real>(weight)};
  auto const step = [&] {
    halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      run_reduce(block, box, sums_of(n, slot), output(x_new, block), kernel, view(b, block), view(x, block));
    });
  };
  std::optional<int> const turn = halo_.turn();
  if (!turn || mesh().blocks().size() != 1) return step();
  Block const& block = mesh().blocks().front();
  Reduction<Execution> const& sums = sums_of(0, slot);
  JacobiArguments const arguments{view(b, block), view(x, block),  output(x_new, block), weight,
                                  *turn,          sums.partials(), sums.results()};
  if (!jacobi_steps_[static_cast<std::size_t>(slot)].run(execution(block), arguments, step)) halo_.replayed();
  for (std::size_t box = 0; box < halo_.boxes(); ++box) sums_of(box, slot).enqueued(execution(block));
}

template <class Real, class Functor, std::size_t CoefficientCount>
JacobiSquares StencilOperator<Real, Functor, CoefficientCount>::jacobi_squares(int slot) const {
  if (description_.boundary) return Operator::jacobi_squares(slot);
  double squares[2] = {box_sum(0, slot), box_sum(1, slot)};
  mesh().communicator().sum(squares);
  return {.change = squares[0], .residual = squares[1]};
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::chebyshev_step(ChebyshevCoefficients coefficients,
                                                                      Vector const& b, Vector const& x, Vector& d,
                                                                      Vector& x_new) const {
  if (description_.boundary) return Operator::chebyshev_step(coefficients, b, x, d, x_new);
  auto const residual = static_cast<Real>(coefficients.residual);
  auto const direction = static_cast<Real>(coefficients.direction);
  halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t) {
    auto const out = outputs(output(d, block), output(x_new, block));
    if (direction == Real{0}) {
      run(block, box, out, stencil_functor::ChebyshevStart<Real, Functor>{functor(), residual}, view(b, block),
          view(x, block));
    } else {
      run(block, box, out, stencil_functor::ChebyshevStep<Real, Functor>{functor(), direction, residual},
          view(b, block), view(x, block), view(d, block));
    }
  });
}

template <class Real, class Functor, std::size_t CoefficientCount>
void StencilOperator<Real, Functor, CoefficientCount>::gauss_seidel_sweep(bool forward, Vector const& b,
                                                                          Vector& x) const {
  if (description_.boundary) return Operator::gauss_seidel_sweep(forward, b, x);
  for (int n = 0; n < colours(); ++n) {
    stencil_functor::ColourSweep<Real, Functor> const kernel{functor(), forward ? n : colours() - 1 - n};
    halo_.over({&cast(x).field()}, [&](Block const& block, IndexRange const& box, std::size_t) {
      run(block, box, output(x, block), kernel, view(b, block), view(x, block));
    });
  }
}

template <class Real, class Functor, std::size_t CoefficientCount>
std::unique_ptr<Coarsening> StencilOperator<Real, Functor, CoefficientCount>::coarsen() const {
  return description_.coarsening ? description_.coarsening(*this) : nullptr;
}

template <class Real, class Functor, std::size_t CoefficientCount>
double StencilOperator<Real, Functor, CoefficientCount>::norm_bound() const {
  if (description_.boundary) return Operator::norm_bound();
  if constexpr (requires { functor().row_sum_bound(); }) return functor().row_sum_bound();
  stencil_functor::RowSum<Real, Functor> const kernel{functor()};
  Reduction<Execution, Maximum> largest;
  double bound = 0;
  for (Block const& block : mesh().blocks()) {
    run_reduce(block, unknowns_[block.local], largest, no_outputs, kernel);
    bound = larger(bound, largest.value());
  }
  return mesh().communicator().max(bound);
}

}  // namespace halocline
