#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/kernel/functor_rules.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "physics/equations/donor_cells.hpp"
#include "physics/equations/stage_functor.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

namespace equation {

/// The members of a rate by name, besides operator(), `shape` and what every functor may have.
struct NamesOfRate {
  int fields;
  int fastest;
  int diffusivity;
  int coupling;
};
template <class Rate>
[[nodiscard]] constexpr bool names_fields() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::fields; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_fastest() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::fastest; };
}
template <class Rate>
[[nodiscard]] constexpr bool names_diffusivity() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::diffusivity; };
}

template <class Rate>
[[nodiscard]] constexpr bool names_coupling() {
  return !requires { &kernel::Beside<Rate, NamesOfRate>::coupling; };
}

/// Whether `fields` is a number that is known when the rate is compiled.
template <class Rate>
concept HasFields = requires {
  requires std::bool_constant<(Rate::fields > 0)>::value;
};

/// Number of fields of a Rate's state: `static constexpr int fields`, default one.
template <class Rate>
[[nodiscard]] constexpr int fields_of() {
  if constexpr (HasFields<Rate>) {
    return Rate::fields;
  } else {
    return 1;
  }
}
template <class Rate>
inline constexpr auto each_field = std::make_index_sequence<static_cast<std::size_t>(fields_of<Rate>())>();

/// Whether a rate declares that its fields diffuse, in addition to what the functor returns.
template <class Rate>
concept Diffuses = requires(Rate const& rate) {
  rate.diffusivity();
};
/// Whether it declares how they are coupled, linearly.
template <class Rate>
concept IsCoupled = requires(Rate const& rate) {
  rate.coupling();
};
/// Whether a part of the rate can be solved for.
template <class Rate>
[[nodiscard]] constexpr bool has_linear_part() {
  return Diffuses<Rate> || IsCoupled<Rate>;
}

template <class Rate>
concept HasSharedBound = requires(Rate const& rate) {
  requires kernel::CanBeBase<decltype(rate.bound())>;
  requires names_fastest<decltype(rate.bound())>();
};
/// The functor that has `fastest`: the rate, or the one that its `bound()` returns, shared by several rates.
template <class Rate>
[[nodiscard]] auto bound_of(Rate const& rate) {
  if constexpr (HasSharedBound<Rate>) {
    return rate.bound();
  } else {
    return rate;
  }
}

/// Whether a rate has a bound `fastest(at, u…)`.
template <class Real, class Rate, int Axes, std::size_t... N>
[[nodiscard]] constexpr bool is_bounded(std::index_sequence<N...>) {
  return requires(Rate const& rate, EquationPoint<Real, Axes, Point<Real>> const& at) {
    rate.fastest(at, std::declval<Reader<Real, InputShape<Rate, static_cast<int>(N)>> const&>()...);
  };
}

/// The return type of a rate at a point.
template <class Real, class Rate, int Axes, std::size_t... N>
[[nodiscard]] auto returned_by(Rate const& rate, std::index_sequence<N...>)
    -> decltype(rate(std::declval<EquationPoint<Real, Axes, Point<Real>> const&>(),
                     std::declval<Reader<Real, InputShape<Rate, static_cast<int>(N)>> const&>()...));
template <class Real, class Rate, int Axes>
concept HasRate = requires(Rate const& rate) {
  returned_by<Real, Rate, Axes>(rate, each_field<Rate>);
};

template <class Rate>
using DiffusivityOf = decltype(std::declval<Rate const&>().diffusivity());
template <class Real, class Rate>
concept HasDiffusivity = std::is_same_v < DiffusivityOf<Rate>,
        Values < Real, fields_of<Rate>()
>> || (fields_of<Rate>() == 1 && std::is_same_v<DiffusivityOf<Rate>, Real>);
template <class Rate>
using CouplingOf = decltype(std::declval<Rate const&>().coupling());
template <class Real, class Rate>
concept HasCoupling = std::is_same_v < CouplingOf<Rate>,
        Matrix < Real, fields_of<Rate>()
>> ;
/// Whether there is an operator(), of any kind.
struct NamesCall {
  void operator()();
};
template <class Rate>
[[nodiscard]] constexpr bool names_call() {
  return !requires { &kernel::Beside<Rate, NamesCall>::operator(); };
}

/// Solves for the linear part of a rate with coupled fields: `static std::unique_ptr<ImplicitRate<Real>> make(mesh,
/// walls, diffusivity, coupling, solver)`. Defined by <halocline/coupling.hpp>, since it takes long to compile.
template <class Real, int Axes, int Fields>
struct CoupledSolve;
template <class Real, int Axes, int Fields>
concept HasCoupledSolve = requires {
  sizeof(CoupledSolve<Real, Axes, Fields>);
};

/// Stops compilation with a readable message if a functor does not meet the requirements of a declared physics.
template <class Real, class Rate, int Axes>
constexpr void require_rate() {
  static_assert(kernel::CanBeBase<Rate>, "the functor of a declared physics must be a class that is not final");
  static_assert(kernel::require_functor<Rate>());
  static_assert(!names_fields<Rate>() || HasFields<Rate>,
                "'fields' of the functor must be 'static constexpr int fields = ...;', the number of its fields");
  static_assert(HasRate<Real, Rate, Axes> || (has_linear_part<Rate>() && !names_call<Rate>()),
                "operator() of the functor must be a const member that takes (at, u...), one reader for each field");
  if constexpr (HasRate<Real, Rate, Axes>) {
    using Returned = decltype(returned_by<Real, Rate, Axes>(std::declval<Rate const&>(), each_field<Rate>));
    static_assert(std::is_same_v<Returned, Values<Real, fields_of<Rate>()>> ||
                      (fields_of<Rate>() == 1 && std::is_same_v<Returned, Real>),
                  "operator() of the functor must return Values<Real, fields>, or Real where there is one field");
  }
  if constexpr (names_fastest<Rate>()) {
    static_assert(is_bounded<Real, Rate, Axes>(each_field<Rate>),
                  "'fastest' of the functor must be a const member that takes what operator() takes: (at, u...)");
  }
  if constexpr (names_diffusivity<Rate>()) {
    static_assert(
        HasDiffusivity<Real, Rate>,
        "'diffusivity' of the functor must be a const member that returns Values<Real, fields>, or Real where "
        "there is one field");
  }
  if constexpr (names_coupling<Rate>()) {
    static_assert(HasCoupling<Real, Rate>,
                  "'coupling' of the functor must be a const member that returns Matrix<Real, fields>");
    static_assert(fields_of<Rate>() > 1, "'coupling' of the functor is for several fields: 'fields' must be above 1");
    static_assert(HasCoupledSolve<Real, Axes, fields_of<Rate>()>,
                  "a functor with 'coupling' needs #include <halocline/coupling.hpp>");
  }
}

/// Whether the only form of a long rate has a specialised kernel, which needs whole tiles.
template <class Real, class Rate, int Axes>
[[nodiscard]] constexpr bool goes_by_tiles() {
#if defined(KOKKOS_ENABLE_CUDA)
  return kernel::cuda::OwnKernel<StageFunctor<Real, Rate, Axes, fields_of<Rate>(), 1, false>>::possible;
#else
  return false;
#endif
}

/// `fastest` of a rate at one point.
template <class Real, class Rate, int Axes>
struct FastestFunctor {
  static constexpr Shape shape = Rate::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<Rate>(n); }
  Rate rate;
  DifferenceWeights<Real> differences;
  template <class P, class... In>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const& at, In const&... in) const {
    return {{}, {static_cast<double>(rate.fastest(EquationPoint<Real, Axes, P>(at, differences), in...))}};
  }
};

}  // namespace equation

/// Difference weights of a uniform mesh.
template <class Real>
[[nodiscard]] DifferenceWeights<Real> difference_weights(StructuredMesh const& mesh) {
  DifferenceWeights<Real> weights;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    double const spacing = mesh.axis(axis).spacing();
    weights.inverse_spacing[axis] = static_cast<Real>(1 / spacing);
    weights.inverse_square[axis] = static_cast<Real>(1 / (spacing * spacing));
  }
  return weights;
}

/// The implementation of Stages: `Rate` on a mesh with `Axes` axes.
template <class Real, class Rate, int Axes>
class StageSweeps final : public Stages<Real> {
 public:
  static constexpr int fields = equation::fields_of<Rate>();
  /// Whether the fields diffuse or are coupled in addition to the rate: that part is not in the functor.
  static constexpr bool has_linear_part = equation::has_linear_part<Rate>();
  static constexpr bool is_coupled = equation::IsCoupled<Rate>;
  static constexpr bool has_rate = equation::HasRate<Real, Rate, Axes>;

  StageSweeps(std::shared_ptr<StructuredMesh const> mesh, Rate const& rate) : mesh_(std::move(mesh)), rate_(rate) {
    for (Block const& block : mesh_->blocks()) geometry_.emplace_back(*mesh_, block, Centring::cell);
    fastest_.resize(geometry_.size());
    differences_ = difference_weights<Real>(*mesh_);
  }

  [[nodiscard]] Shape shape() const override {
    if constexpr (has_linear_part) return WithLinearPart::shape;
    return Rate::shape;
  }

  [[nodiscard]] StageForms forms() const override {
    if constexpr (kernel::is_long_functor<Rate>()) return {1, false, !equation::goes_by_tiles<Real, Rate, Axes>()};
    return {};
  }

  void sweep(Block const& block, IndexRange const& box, StageArguments<Real> const& stage) const override {
    if constexpr (has_linear_part) {
      // The rate alone has the same form, with a linear part of zero: one of its own would double compile times.
      WithLinearPart whole{rate_, {}, {}};
      if (stage.part == RatePart::whole) {
        whole.diffusivity = diffusivity_of_fields();
        if constexpr (is_coupled) whole.coupling = rate_.coupling();
      }
      sweep_rate(whole, block, box, stage);
    } else {
      sweep_rate(rate_, block, box, stage);
    }
  }

  [[nodiscard]] std::vector<double> diffusivity() const override {
    std::vector<double> all;
    if constexpr (requires { rate_.diffusivity_of_law(); }) {
      Values<Real, fields> const of_field = rate_.diffusivity_of_law();
      for (int n = 0; n < fields; ++n) all.push_back(static_cast<double>(of_field[n]));
    } else if constexpr (has_linear_part) {
      Values<Real, fields> const of_field = diffusivity_of_fields();
      for (int n = 0; n < fields; ++n) all.push_back(static_cast<double>(of_field[n]));
    }
    return all;
  }

  [[nodiscard]] double coupling_euler_rate() const override {
    if constexpr (is_coupled) {
      return equation::CoupledSolve<Real, Axes, fields>::euler_rate(rate_.coupling());
    } else {
      return 0;
    }
  }

  [[nodiscard]] std::unique_ptr<ImplicitRate<Real>> coupled_rate(
      [[maybe_unused]] std::vector<BoundaryConditions> const& walls,
      [[maybe_unused]] MakeSolver const& make_solver) const override {
    if constexpr (is_coupled) {
      return equation::CoupledSolve<Real, Axes, fields>::make(mesh_, walls, diffusivity_of_fields(), rate_.coupling(),
                                                              make_solver());
    } else {
      return nullptr;
    }
  }

  [[nodiscard]] bool has_explicit_part() const override { return has_rate; }

  [[nodiscard]] bool has_donor_cells() const override { return equation::has_donor_cells<Rate>(); }

  [[nodiscard]] Index mark_unphysical([[maybe_unused]] Fields<Real> const& state, [[maybe_unused]] Field<Real>& marks,
                                      [[maybe_unused]] int round) const override {
    Index marked = 0;
    if constexpr (equation::has_donor_cells<Rate>()) {
      for (Block const& block : mesh_->blocks()) {
        equation::MarkUnphysical<Real, Rate> kernel{
            equation::CellsOfBox(marks.owned(block)), rate_, {}, marks.view(block), static_cast<Real>(round)};
        for (std::size_t n = 0; n < fields; ++n) kernel.state[n] = view(state, n, block);
        Index of_block = 0;
        Kokkos::parallel_reduce("halocline unphysical cells", policy(block, kernel.cells), kernel,
                                Kokkos::Sum<Index>(of_block));
        marked += of_block;
      }
    }
    return marked;
  }

  void take_donor_cells([[maybe_unused]] StageArguments<Real> const& stage, [[maybe_unused]] Field<Real> const& marks,
                        [[maybe_unused]] int round) const override {
    if constexpr (equation::has_donor_cells<Rate>()) {
      for (Block const& block : mesh_->blocks()) {
        equation::TakeDonorCells<Real, Rate, Axes> kernel{
            equation::CellsOfBox(marks.owned(block)), rate_, {}, {}, marks.view(block), static_cast<Real>(round), {}};
        for (std::size_t n = 0; n < fields; ++n) {
          kernel.y[n] = view(*stage.y, n, block);
          kernel.out[n] = (*stage.out)[n]->view(block);
        }
        for (int axis = 0; axis < Axes; ++axis)
          kernel.factor[axis] = static_cast<Real>(stage.scale) * differences_.inverse_spacing[axis];
        Kokkos::parallel_for("halocline donor cells", policy(block, kernel.cells), kernel);
      }
    }
  }

  [[nodiscard]] bool has_fastest() const override {
    return equation::is_bounded<Real, Bound, Axes>(equation::each_field<Rate>);
  }

  [[nodiscard]] std::optional<double> fastest(double time, Fields<Real> const& y) const override {
    if constexpr (equation::is_bounded<Real, Bound, Axes>(equation::each_field<Rate>)) {
      double largest = 0;
      for (Block const& block : mesh_->blocks()) {
        reduce_fastest(block, time, y, equation::each_field<Rate>);
      }
      for (auto const& of_block : fastest_) largest = larger(largest, of_block.value());
      return largest;
    } else {
      return std::nullopt;
    }
  }

 private:
  using View = FieldView<Real const>;
  using WithLinearPart = equation::WithLinearPart<Real, Rate, Axes, fields, has_rate, is_coupled>;
  using Bound = decltype(equation::bound_of(std::declval<Rate const&>()));

  [[nodiscard]] Values<Real, fields> diffusivity_of_fields() const {
    Values<Real, fields> of_field{};
    if constexpr (equation::Diffuses<Rate>) {
      auto const declared = rate_.diffusivity();
      for (int n = 0; n < fields; ++n) of_field[n] = equation::component(declared, n);
    }
    return of_field;
  }
  [[nodiscard]] static View view(Fields<Real> const& fields_of_state, std::size_t n, Block const& block) {
    return std::as_const(*fields_of_state[n]).view(block);
  }
  [[nodiscard]] static auto policy(Block const& block, equation::CellsOfBox const& cells) {
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    return launched_at_once(Policy(execution(block), 0, cells.size()));
  }
  [[nodiscard]] Geometry<Real> geometry_at(Block const& block, double time) const {
    Geometry<Real> geometry = geometry_[block.local].geometry();
    geometry.time = static_cast<Real>(time);
    return geometry;
  }

  template <class Whole>
  void sweep_rate(Whole const& rate, Block const& block, IndexRange const& box,
                  StageArguments<Real> const& stage) const {
    // A form for each number of terms would multiply compile times: missing terms are replaced by y, which is read
    // anyway, with weight zero.
    if constexpr (kernel::is_long_functor<Rate>()) {
      sweep_as<1, false>(rate, block, box, stage);
    } else {
      if (stage.slope != nullptr) return sweep_as<most_stage_terms, true>(rate, block, box, stage);
      if (stage.terms > 1) return sweep_as<most_stage_terms, false>(rate, block, box, stage);
      if (stage.terms == 1) return sweep_as<1, false>(rate, block, box, stage);
      sweep_as<0, false>(rate, block, box, stage);
    }
  }

  template <int Terms, bool HasSlope, class Whole>
  void sweep_as(Whole const& rate, Block const& block, IndexRange const& box, StageArguments<Real> const& stage) const {
    StageFunctor<Real, Whole, Axes, fields, Terms, HasSlope> functor{
        rate, differences_, static_cast<Real>(stage.own), static_cast<Real>(stage.scale), {}};
    std::array<Fields<Real> const*, most_stage_terms> states{};
    for (int n = 0; n < Terms; ++n) {
      auto const at = static_cast<std::size_t>(n);
      bool const is_given = n < stage.terms;
      functor.weight[n] = is_given ? static_cast<Real>(stage.weights[at]) : Real{0};
      states[at] = is_given ? stage.states[at] : stage.y;
    }
    enqueue<HasSlope>(block, box, stage, functor, states, equation::each_field<Rate>,
                      std::make_index_sequence<static_cast<std::size_t>(Terms * fields)>());
  }
  template <bool HasSlope, class Functor, class States, std::size_t... F, std::size_t... T>
  void enqueue(Block const& block, IndexRange const& box, StageArguments<Real> const& stage, Functor const& functor,
               States const& states, std::index_sequence<F...>, std::index_sequence<T...>) const {
    auto const to = [&] {
      if constexpr (HasSlope) {
        return outputs((*stage.out)[F]->view(block)..., (*stage.slope)[F]->view(block)...);
      } else {
        return outputs((*stage.out)[F]->view(block)...);
      }
    }();
    halocline::sweep(execution(block), box, geometry_at(block, stage.time), to, functor, view(*stage.y, F, block)...,
                     view(*states[T / fields], T % fields, block)...);
  }
  template <std::size_t... F>
  void reduce_fastest(Block const& block, double time, Fields<Real> const& y, std::index_sequence<F...>) const {
    sweep_reduce(execution(block), mesh_->owned(block, Centring::cell), geometry_at(block, time), fastest_[block.local],
                 no_outputs, equation::FastestFunctor<Real, Bound, Axes>{equation::bound_of(rate_), differences_},
                 view(y, F, block)...);
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  Rate rate_;
  DifferenceWeights<Real> differences_;
  std::vector<BlockGeometry<Real>> geometry_;                   ///< by Block::local …
  mutable std::vector<Reduction<Execution, Maximum>> fastest_;  ///< … as well
};

}  // namespace halocline
