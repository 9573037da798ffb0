#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "physics/equations/donor_cells.hpp"
#include "physics/equations/rate_requirements.hpp"
#include "physics/equations/stage_functor.hpp"
#include "physics/equations/stages.hpp"

namespace halocline {

namespace equation {

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

/// The implementation of Stages: `Rate` on a mesh with `Axes` axes.
template <class Real, class Rate, int Axes>
class StageSweeps final : public Stages<Real> {
 public:
  static constexpr int fields = equation::fields_of<Rate>();
  /// Whether the fields diffuse or are coupled in addition to the rate: that part is not in the functor.
  static constexpr bool has_linear_part = equation::has_linear_part<Real, Rate>();
  static constexpr bool varies = equation::DiffusesByCoefficients<Real, Rate>;
  static constexpr bool is_coupled = equation::IsCoupled<Rate>;
  static constexpr bool has_rate = equation::HasRate<Real, Rate, Axes>;
  static constexpr int order = equation::order_in_time_of<Rate>();
  /// Whether coefficients may be numbers. Forms for both would double the compile time of other rates.
  static constexpr bool has_constants = order == 2 && equation::coefficients_of<Rate>() > 0;
  template <class Whole>
  static constexpr bool is_with_constants = has_constants && !std::is_same_v<Whole, Rate>;

  StageSweeps(std::shared_ptr<StructuredMesh const> mesh, Rate const& rate) : mesh_(std::move(mesh)), rate_(rate) {
    for (Block const& block : mesh_->blocks()) geometry_.emplace_back(*mesh_, block, Centring::cell);
    fastest_.resize(geometry_.size());
    differences_ = difference_weights<Real>(*mesh_);
  }

  [[nodiscard]] Shape shape() const override {
    if constexpr (has_linear_part) return WithLinearPart<false>::shape;
    return Rate::shape;
  }

  [[nodiscard]] StageForms forms() const override {
    if constexpr (kernel::is_long_functor<Rate>()) return {1, false, !equation::goes_by_tiles<Real, Rate, Axes>()};
    if constexpr (order != 1) return {1, false, true};
    return {};
  }

  void sweep(Block const& block, IndexRange const& box, StageArguments<Real> const& stage) const override {
    if constexpr (has_linear_part) {
      if constexpr (varies) {
        if (stage.part == RatePart::whole && resists_) {
          return sweep_rate(WithLinearPart<true>{rate_, largest_diffusivity(), {}}, block, box, stage);
        }
      }
      // The rate alone has the same form, with a linear part of zero: one of its own would double compile times.
      WithLinearPart<false> whole{rate_, {}, {}};
      if (stage.part == RatePart::whole) {
        whole.diffusivity = largest_diffusivity();
        if constexpr (is_coupled) whole.coupling = rate_.coupling();
      }
      sweep_rate(whole, block, box, stage);
    } else {
      with_rate([&](auto const& rate) { sweep_rate(rate, block, box, stage); });
    }
  }

  [[nodiscard]] int order_in_time() const override { return order; }
  [[nodiscard]] bool takes_constants() const override { return has_constants; }
  [[nodiscard]] int coefficient_ghosts() const override {
    if constexpr (has_linear_part) return Stages<Real>::coefficient_ghosts();
    int widest = 0;
    for (int n = 0; n < equation::coefficients_of<Rate>(); ++n) {
      widest = std::max(widest, shape_of_input<Rate>(fields + n).radius);
    }
    return widest;
  }

  [[nodiscard]] double energy([[maybe_unused]] Fields<Real> const& u, [[maybe_unused]] Fields<Real> const& before,
                              [[maybe_unused]] Fields<Real> const& change) const override {
    if constexpr (equation::has_energy<Real, Rate>()) {
      double sum = 0;
      for (Block const& block : mesh_->blocks()) {
        with_rate([&](auto const& rate) { sum += energy_of(rate, block, u, before, change); });
      }
      return sum;
    } else {
      return Stages<Real>::energy(u, before, change);
    }
  }

  void set_coefficients(Coefficients<Real> const& coefficients, [[maybe_unused]] Fields<Real> const& state) override {
    inputs_ = coefficients.fields;
    for (double const constant : coefficients.constants) constants_.push_back(static_cast<Real>(constant));
    if constexpr (varies) {
      std::vector<std::string> names;
      for (auto const& field : state) names.push_back("diffusivity of `" + field->name() + "`");
      Fields<Real> const of_cells = make_fields<Real>(state.front()->shared_mesh(), names, state.front()->ghosts());
      for (Block const& block : mesh_->blocks()) {
        sweep_diffusivity(block, of_cells, equation::each_field<Rate>, equation::each_coefficient<Rate>);
      }
      DiffusivityOfCells<Real> found = diffusivity_of_cells(*mesh_, of_cells, coefficients);
      diffusivity_ = std::move(found.of_fields);
      resists_ = !found.resistances.empty();
      inputs_.insert(inputs_.end(), found.resistances.begin(), found.resistances.end());
      if (!coefficients.is_swept) inputs_.clear();
    }
  }

  [[nodiscard]] std::vector<Diffusivity<Real>> diffusivity() const override { return diffusivity_; }

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
      return equation::CoupledSolve<Real, Axes, fields>::make(mesh_, walls, largest_diffusivity(), rate_.coupling(),
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
    return equation::is_bounded<Real, Bound, Axes>(equation::each_input<Rate>);
  }

  [[nodiscard]] std::optional<double> fastest(double time, Fields<Real> const& y) const override {
    if constexpr (equation::is_bounded<Real, Bound, Axes>(equation::each_input<Rate>)) {
      double largest = 0;
      for (Block const& block : mesh_->blocks()) {
        with_bound([&](auto const& bound) { reduce_fastest(bound, block, time, y); });
      }
      for (auto const& of_block : fastest_) largest = larger(largest, of_block.value());
      return largest;
    } else {
      return std::nullopt;
    }
  }

 private:
  using View = FieldView<Real const>;
  template <bool Varies>
  using WithLinearPart = equation::WithLinearPart<Real, Rate, Axes, fields, has_rate, is_coupled, Varies>;
  using Bound = decltype(equation::bound_of(std::declval<Rate const&>()));

  /// Where it does not depend on coefficients.
  [[nodiscard]] std::vector<Diffusivity<Real>> even_diffusivity() const {
    std::vector<Diffusivity<Real>> all;
    auto const add = [&](auto const& declared) {
      for (int n = 0; n < fields; ++n) all.push_back({static_cast<double>(equation::component(declared, n)), nullptr});
    };
    if constexpr (requires { rate_.diffusivity_of_law(); }) {
      add(rate_.diffusivity_of_law());
    } else if constexpr (equation::DiffusesEvenly<Rate>) {
      add(rate_.diffusivity());
    } else if constexpr (has_linear_part) {
      add(Values<Real, fields>{});
    }
    return all;
  }
  [[nodiscard]] Values<Real, fields> largest_diffusivity() const {
    Values<Real, fields> of_field{};
    for (int n = 0; n < fields; ++n) of_field[n] = static_cast<Real>(diffusivity_[static_cast<std::size_t>(n)].largest);
    return of_field;
  }
  template <std::size_t... F, std::size_t... K>
  void sweep_diffusivity(Block const& block, Fields<Real> const& to, std::index_sequence<F...>,
                         std::index_sequence<K...>) const {
    halocline::sweep(execution(block), mesh_->owned(block, Centring::cell), geometry_at(block, 0),
                     outputs(to[F]->view(block)...), equation::DiffusivityFunctor<Real, Rate, fields>{rate_},
                     view(inputs_, K, block)...);
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

  /// Calls `use` with the rate, which has its coefficients as numbers where these are all that the deck gives.
  template <class Functor, class Use>
  void with_constants(Functor const& functor, Use const& use) const {
    if constexpr (has_constants) {
      if (!constants_.empty()) {
        equation::WithConstants<Real, Functor> whole{functor, {}};
        std::copy(constants_.begin(), constants_.end(), whole.constant);
        return use(whole);
      }
    }
    use(functor);
  }
  template <class Use>
  void with_rate(Use const& use) const {
    with_constants(rate_, use);
  }
  template <class Use>
  void with_bound(Use const& use) const {
    with_constants(equation::bound_of(rate_), use);
  }
  template <class Whole>
  [[nodiscard]] double energy_of(Whole const& rate, Block const& block, Fields<Real> const& u,
                                 Fields<Real> const& before, Fields<Real> const& change) const {
    Reduction<Execution> sum;
    with_inputs<Whole>(block, [&](auto const&... k) {
      sweep_reduce(execution(block), mesh_->owned(block, Centring::cell), geometry_at(block, 0), sum, no_outputs,
                   equation::EnergyFunctor<Real, Whole>{rate}, view(u, 0, block), view(before, 0, block),
                   view(change, 0, block), k...);
    });
    return sum.value();
  }
  /// Calls `use` with what a rate reads besides the fields.
  template <class Whole, class Use>
  void with_inputs(Block const& block, Use const& use) const {
    [&]<std::size_t... K>(std::index_sequence<K...>) { use(view(inputs_, K, block)...); }
    (equation::each_coefficient<Whole>);
  }

  template <class Whole>
  void sweep_rate(Whole const& rate, Block const& block, IndexRange const& box,
                  StageArguments<Real> const& stage) const {
    // A form for each number of terms would multiply compile times: missing terms are replaced by y, which is read
    // anyway, with weight zero.
    if constexpr (kernel::is_long_functor<Rate>()) {
      sweep_as<1, false>(rate, block, box, stage);
    } else if constexpr (order == 0) {
      sweep_as<0, false>(rate, block, box, stage);
    } else if constexpr (order == 2) {
      if constexpr (!is_with_constants<Whole>) {
        if (stage.damping[0] != nullptr) return sweep_as<1, false, true>(rate, block, box, stage);
      }
      sweep_as<1, false>(rate, block, box, stage);
    } else {
      if (stage.slope != nullptr) return sweep_as<most_stage_terms, true>(rate, block, box, stage);
      if (stage.terms > 1) return sweep_as<most_stage_terms, false>(rate, block, box, stage);
      if (stage.terms == 1) return sweep_as<1, false>(rate, block, box, stage);
      sweep_as<0, false>(rate, block, box, stage);
    }
  }

  template <class Whole>
  [[nodiscard]] static Whole scaled(Whole const& rate, [[maybe_unused]] double factor) {
    if constexpr (equation::HasMultiples<Whole>) {
      return rate.times(factor);
    } else {
      return rate;
    }
  }
  template <int Terms, bool HasSlope, bool IsDamped = false, class Whole>
  void sweep_as(Whole const& rate, Block const& block, IndexRange const& box, StageArguments<Real> const& stage) const {
    StageFunctor<Real, Whole, Axes, fields, Terms, HasSlope, IsDamped> functor{
        scaled(rate, stage.scale), differences_, static_cast<Real>(stage.own), static_cast<Real>(stage.scale), {}};
    if constexpr (IsDamped) std::copy_n(stage.damping.begin(), Axes, functor.damping.along);
    std::array<Fields<Real> const*, most_stage_terms> states{};
    for (int n = 0; n < Terms; ++n) {
      auto const at = static_cast<std::size_t>(n);
      bool const is_given = n < stage.terms;
      functor.weight[n] = is_given ? static_cast<Real>(stage.weights[at]) : Real{0};
      states[at] = is_given ? stage.states[at] : stage.y;
    }
    enqueue<HasSlope>(block, box, stage, functor, states, equation::each_field<Rate>, equation::each_coefficient<Whole>,
                      std::make_index_sequence<static_cast<std::size_t>(Terms * fields)>());
  }
  template <bool HasSlope, class Functor, class States, std::size_t... F, std::size_t... K, std::size_t... T>
  void enqueue(Block const& block, IndexRange const& box, StageArguments<Real> const& stage, Functor const& functor,
               States const& states, std::index_sequence<F...>, std::index_sequence<K...>,
               std::index_sequence<T...>) const {
    auto const to = [&] {
      if constexpr (HasSlope) {
        return outputs((*stage.out)[F]->view(block)..., (*stage.slope)[F]->view(block)...);
      } else {
        return outputs((*stage.out)[F]->view(block)...);
      }
    }();
    halocline::sweep(execution(block), box, geometry_at(block, stage.time), to, functor, view(*stage.y, F, block)...,
                     view(inputs_, K, block)..., view(*states[T / fields], T % fields, block)...);
  }
  template <class Whole>
  void reduce_fastest(Whole const& bound, Block const& block, double time, Fields<Real> const& y) const {
    with_inputs<Whole>(block, [&](auto const&... k) {
      [&]<std::size_t... F>(std::index_sequence<F...>) {
        sweep_reduce(execution(block), mesh_->owned(block, Centring::cell), geometry_at(block, time),
                     fastest_[block.local], no_outputs,
                     equation::FastestFunctor<Real, Whole, Axes>{bound, differences_}, view(y, F, block)..., k...);
      }
      (equation::each_field<Rate>);
    });
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  Rate rate_;
  DifferenceWeights<Real> differences_;
  Fields<Real> inputs_;          ///< coefficients, then the resistances if there are any
  bool resists_ = false;         ///< there are
  std::vector<Real> constants_;  ///< in place of all coefficients; empty: they are fields
  std::vector<Diffusivity<Real>> diffusivity_ = even_diffusivity();
  std::vector<BlockGeometry<Real>> geometry_;                   ///< by Block::local …
  mutable std::vector<Reduction<Execution, Maximum>> fastest_;  ///< … as well
};

}  // namespace halocline
