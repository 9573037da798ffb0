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
  using Output = FieldView<Real>;
  using Input = FieldView<Real const>;

  /// Collective. Throws DefectError for a coefficient with fewer ghosts than the functor reads.
  explicit StencilCore(Description given)
      : description(std::move(given)),
        unknowns(find_unknowns(description)),
        halo(*make_field(), unknowns, Functor::shape, description.transport),
        sums_(2 * halo.boxes()) {
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
        FieldDescription{.name = "vector", .centring = description.centring, .ghosts = Functor::shape.radius});
  }

  [[nodiscard]] static Field<Real>& field(Vector const& x) { return as_field_vector<Real>(x).field(); }
  [[nodiscard]] Input view(Vector const& x, Block const& block) const {
    return as_field_vector<Real>(x).field().view(block);
  }
  [[nodiscard]] Output output(Vector& x, Block const& block) const {
    return as_field_vector<Real>(x).field().view(block);
  }

  /// Sweeps over a box of one block; the coefficients follow the other inputs.
  template <class Out, class Kernel, class... In>
  void run(Block const& block, IndexRange const& box, Out const& out, Kernel const& kernel, In... in) const {
    std::apply(
        [&](auto const&... k) { sweep(execution(block), box, geometry(block), out, kernel, in..., k->view(block)...); },
        description.coefficients);
  }
  template <class Sums, class Out, class Kernel, class... In>
  void run_reduce(Block const& block, IndexRange const& box, Sums& sums, Out const& out, Kernel const& kernel,
                  In... in) const {
    std::apply(
        [&](auto const&... k) {
          sweep_reduce(execution(block), box, geometry(block), sums, out, kernel, in..., k->view(block)...);
        },
        description.coefficients);
  }

  /// Sums of box n of `halo`, for each of two buffers.
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

  std::vector<BlockGeometry<Real>> geometry_;
  mutable std::vector<Reduction<Execution>> sums_;
};

}  // namespace halocline
