#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/stencil_functors.hpp"
#include "framework/operator/stencil_halo.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

template <class Real, class Functor, std::size_t CoefficientCount>
class StencilOperator;

/// Definition of a StencilOperator.
template <class Real, class Functor, std::size_t CoefficientCount>
struct StencilDescription {
  using Coefficients = std::array<std::shared_ptr<Field<Real> const>, CoefficientCount>;
  /// Makes the next coarser operator and its transfers, or null at the coarsest. Collective.
  using CoarseningFactory =
      std::function<std::unique_ptr<Coarsening>(StencilOperator<Real, Functor, CoefficientCount> const&)>;
  /// Makes the same operator in single precision. Collective.
  using SinglePrecisionFactory = std::function<std::unique_ptr<Operator>()>;
  /// Fills a vector of the operator's space. Collective.
  using Filling = std::function<void(Vector&)>;

  std::shared_ptr<Mesh const> mesh;
  Centring centring = Centring::cell;
  Functor functor;
  Coefficients coefficients{};         ///< with ghosts for their shapes, valid where the functor reads them
  std::vector<IndexRange> unknowns{};  ///< by Block::local, in local indices; empty: all owned entries
  /// Where components have fewer unknowns, by component, then Block::local; empty: all have `unknowns`. At other
  /// entries of a component the functor returns what it reads there, zero.
  std::vector<std::vector<IndexRange>> unknowns_of_components{};
  CoarseningFactory coarsening{};
  SinglePrecisionFactory single_precision{};
  Filling null_space_measure{};                  ///< see Operator::null_space_measure; empty: null
  std::shared_ptr<Transport const> transport{};  ///< null: the default of Exchange
};

/// Shared by a StencilOperator and its capabilities: the unknowns, their ghosts, and sweeps over them.
template <class Real, class Functor, std::size_t CoefficientCount>
class StencilCore {
 public:
  using Description = StencilDescription<Real, Functor, CoefficientCount>;
  /// Whether passes of its own follow the product, instead of a functor for each operation (LongProduct).
  static constexpr bool is_long = kernel::is_long_functor<Functor>();
  /// Unknowns at a point, which are components of a field.
  static constexpr int count = unknowns_at_point<Functor>;
  /// A vector on a block: its view, or one for each component.
  template <class Entry>
  using Views = std::conditional_t<count == 1, FieldView<Entry>, std::array<FieldView<Entry>, count>>;
  using Output = Views<Real>;
  using Input = Views<Real const>;

  /// Collective. Throws DefectError for a coefficient with fewer ghosts than the functor reads.
  explicit StencilCore(Description given)
      : description(std::move(given)),
        unknowns(find_unknowns(description)),
        halo(*make_field(), unknowns, Functor::shape, description.transport),
        sums_((is_long ? 3 : 2) * halo.boxes()) {
    int input = 1;  // after the vector
    for (auto const& coefficient : description.coefficients) {
      if (coefficient->ghosts() < shape_of_input<Functor>(input).radius) {
        throw DefectError("a stencil reaches beyond the ghosts of `" + coefficient->name() + "`");
      }
      ++input;
    }
    for (Block const& block : mesh().blocks()) geometry_.emplace_back(mesh(), block, description.centring);
  }

  [[nodiscard]] Mesh const& mesh() const { return *description.mesh; }
  [[nodiscard]] Functor const& functor() const { return description.functor; }
  [[nodiscard]] Geometry<Real> const& geometry(Block const& block) const { return geometry_[block.local].geometry(); }
  /// A field for a new vector.
  [[nodiscard]] std::shared_ptr<Field<Real>> make_field() const {
    return std::make_shared<Field<Real>>(
        description.mesh,
        FieldDescription{
            .name = "vector", .centring = description.centring, .components = count, .ghosts = Functor::shape.radius});
  }

  [[nodiscard]] std::unique_ptr<Vector> make_vector() const {
    auto const& of_components = description.unknowns_of_components;
    if (of_components.empty()) return std::make_unique<FieldVector<Real>>(make_field(), unknowns);
    return std::make_unique<FieldVector<Real>>(make_field(), of_components);
  }

  /// The field of a vector of this space; throws DefectError for another one.
  [[nodiscard]] static Field<Real>& field(Vector const& x) { return field_of<Real>(x); }
  [[nodiscard]] Input view(Vector const& x, Block const& block) const { return views<Real const>(x, block); }
  [[nodiscard]] Output output(Vector& x, Block const& block) const { return views<Real>(x, block); }
  /// A vector of this space in either precision, as Input or Output.
  template <class Entry>
  [[nodiscard]] static Views<Entry> views(Vector const& x, Block const& block) {
    Field<std::remove_const_t<Entry>>& field = field_of<std::remove_const_t<Entry>>(x);
    if constexpr (count == 1) {
      return field.view(block);
    } else {
      return [&]<int... N>(std::integer_sequence<int, N...>) { return Views<Entry>{{field.view(block, N)...}}; }
      (std::make_integer_sequence<int, count>());
    }
  }
  /// Several vectors as outputs of one sweep.
  template <class... Written>
  [[nodiscard]] auto outputs(Block const& block, Written&... x) const {
    return std::apply([](auto const&... view) { return halocline::outputs(view...); },
                      std::tuple_cat(one_by_one(output(x, block))...));
  }

  /// Sweeps over a box of one block; the coefficients follow the other inputs, which are vectors.
  template <class Out, class Kernel, class... In>
  void run(Block const& block, IndexRange const& box, Out const& out, Kernel const& kernel, In const&... in) const {
    sweep_on<sizeof...(In)>(block, box, out, kernel, std::tuple_cat(one_by_one(in)..., coefficients(block)));
  }
  template <class Sums, class Out, class Kernel, class... In>
  void run_reduce(Block const& block, IndexRange const& box, Sums& sums, Out const& out, Kernel const& kernel,
                  In const&... in) const {
    reduce_on<sizeof...(In)>(block, box, sums, out, kernel, std::tuple_cat(one_by_one(in)..., coefficients(block)));
  }
  /// The same for functors of vectors alone.
  template <class Out, class Kernel, class... In>
  void run_on_vectors(Block const& block, IndexRange const& box, Out const& out, Kernel const& kernel,
                      In const&... in) const {
    sweep_on<sizeof...(In)>(block, box, out, kernel, std::tuple_cat(one_by_one(in)...));
  }
  template <class Sums, class Out, class Kernel, class... In>
  void reduce_on_vectors(Block const& block, IndexRange const& box, Sums& sums, Out const& out, Kernel const& kernel,
                         In const&... in) const {
    reduce_on<sizeof...(In)>(block, box, sums, out, kernel, std::tuple_cat(one_by_one(in)...));
  }

  /// Sums of box n of `halo`, for each of two buffers and of long_product.
  [[nodiscard]] Reduction<Execution>& sums_of(std::size_t box, int buffer = 0) const {
    return sums_[static_cast<std::size_t>(buffer) * halo.boxes() + box];
  }
  /// Adds up the n-th sum of all boxes of this rank.
  [[nodiscard]] double box_sum(int n, int buffer = 0) const {
    double total = 0;
    for (std::size_t box = 0; box < halo.boxes(); ++box) total += sums_of(box, buffer).value(n);
    return total;
  }
  /// The first sum over all ranks.
  [[nodiscard]] double total() const { return mesh().communicator().sum(box_sum(0)); }

  static constexpr int of_long_product = 2;
  /// y = of_b b + of_product A x, by a long functor. Afterwards the sums of the buffer `of_long_product` are y . y and
  /// x . y.
  void long_product(double of_b, Vector const& b, double of_product, Vector const& x, Vector& y) const {
    stencil_functor::LongProduct<Real, Functor> const kernel{functor(), static_cast<Real>(of_b),
                                                             static_cast<Real>(of_product)};
    halo.over({&field(x)}, [&](Block const& block, IndexRange const& box, std::size_t n) {
      run_reduce(block, box, sums_of(n, of_long_product), output(y, block), kernel, view(b, block), view(x, block));
    });
  }
  /// b - A x in a vector of this class's own, by a long functor.
  [[nodiscard]] Vector& long_residual(Vector const& b, Vector const& x) const {
    if (residual_ == nullptr) residual_ = make_vector();
    long_product(1, b, -1, x, *residual_);
    return *residual_;
  }

  Description description;
  std::vector<IndexRange> unknowns;  ///< by Block::local
  StencilHalo halo;

 private:
  static std::vector<IndexRange> find_unknowns(Description const& description) {
    std::vector<IndexRange> unknowns = description.unknowns;
    if (unknowns.empty()) {
      for (Block const& block : description.mesh->blocks()) {
        unknowns.push_back(description.mesh->owned(block, description.centring));
      }
    }
    return unknowns;
  }

  /// The field of a vector in either precision.
  template <class Other>
  [[nodiscard]] static Field<Other>& field_of(Vector const& x) {
    FieldVector<Other> const& vector = as_field_vector<Other>(x);
    Field<Other>& field = *vector.fields().front();
    if (vector.fields().size() != 1 || field.components() != count) {
      throw DefectError("an operator on " + std::to_string(count) + " unknowns at a point was given a vector of `" +
                        field.name() + "` with others");
    }
    return field;
  }
  template <class Entry>
  [[nodiscard]] static auto one_by_one(FieldView<Entry> const& view) {
    return std::tuple(view);
  }
  template <class Entry>
  [[nodiscard]] static auto one_by_one(std::array<FieldView<Entry>, count> const& views) {
    return std::apply([](auto const&... view) { return std::tuple(view...); }, views);
  }
  template <class Entry>
  [[nodiscard]] static auto as_outputs(std::array<FieldView<Entry>, count> const& views) {
    return std::apply([](auto const&... view) { return halocline::outputs(view...); }, views);
  }
  template <class Out>
  [[nodiscard]] static Out const& as_outputs(Out const& out) {
    return out;
  }
  [[nodiscard]] auto coefficients(Block const& block) const {
    return std::apply([&](auto const&... k) { return std::tuple(k->view(block)...); }, description.coefficients);
  }
  template <std::size_t Vectors, class Out, class Kernel, class... View>
  void sweep_on(Block const& block, IndexRange const& box, Out const& out, Kernel const& kernel,
                std::tuple<View...> const& inputs) const {
    std::apply(
        [&](auto const&... in) {
          sweep(execution(block), box, geometry(block), as_outputs(out), by_components<Vectors>(kernel), in...);
        },
        inputs);
  }
  template <std::size_t Vectors, class Sums, class Out, class Kernel, class... View>
  void reduce_on(Block const& block, IndexRange const& box, Sums& sums, Out const& out, Kernel const& kernel,
                 std::tuple<View...> const& inputs) const {
    std::apply(
        [&](auto const&... in) {
          sweep_reduce(execution(block), box, geometry(block), sums, as_outputs(out), by_components<Vectors>(kernel),
                       in...);
        },
        inputs);
  }
  /// A functor of `Vectors` vectors for sweeps, which know no components.
  template <std::size_t Vectors, class Kernel>
  [[nodiscard]] static auto by_components(Kernel const& kernel) {
    if constexpr (count == 1) {
      return kernel;
    } else {
      return stencil_functor::ByComponents<Kernel, count, static_cast<int>(Vectors)>{kernel};
    }
  }

  std::vector<BlockGeometry<Real>> geometry_;
  mutable std::vector<Reduction<Execution>> sums_;
  mutable std::unique_ptr<Vector> residual_;  ///< made when first needed
};

}  // namespace halocline
