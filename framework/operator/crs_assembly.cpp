#include "framework/operator/crs_assembly.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

using Colourings = std::array<AxisColouring, 3>;

/// One at the points of a colour, zero elsewhere.
template <class Real>
struct Indicator {
  static constexpr Shape shape = point;
  AxisColouring axes[3];
  Index colour[3];
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at) const {
    bool const matches = axes[0].colour(at.index(0)) == colour[0] && axes[1].colour(at.index(1)) == colour[1] &&
                         axes[2].colour(at.index(2)) == colour[2];
    return matches ? Real{1} : Real{0};
  }
};

/// Along one axis: the offset, nearest first, at which a point sees a column of a colour, if it does.
std::optional<Index> look_along(AxisColouring const& axis, Index colour, Index global, Index points, int radius,
                                bool periodic) {
  for (Index distance = 0; distance <= radius; ++distance) {
    for (Index const offset : {-distance, distance}) {
      Index column = global + offset;
      if (periodic) column = (column % points + points) % points;
      if (column >= 0 && column < points && axis.colour(column) == colour) return offset;
    }
  }
  return std::nullopt;
}

/// Collects the entries of one block, column colour by column colour.
template <class Real>
class BlockAssembly {
 public:
  BlockAssembly(FieldVector<Real> const& like, Block const& block, StructuredMesh const& mesh, int radius)
      : owned_(like.field().owned(block)),
        unknowns_(like.unknowns(block)),
        layout_(like.field().layout(block)),
        first_(mesh.global_owned(block.id, like.field().centring()).begin),
        points_(mesh.extents(like.field().centring())),
        entries_(static_cast<std::size_t>(layout_.entries)) {
    for (int axis = 0; axis < mesh.dimensions(); ++axis) {
      periodic_[static_cast<std::size_t>(axis)] = mesh.periodic(axis);
      reach_[static_cast<std::size_t>(axis)] = radius;
    }
  }

  /// `column`: the owned entries of A times the unit vectors of `colour`.
  void add(Colourings const& axes, Extents const& colour, std::vector<Real> const& column) {
    std::array<std::vector<std::optional<Index>>, 3> sights;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (Index i = 0; i < owned_.end[axis]; ++i) {
        sights[axis].push_back(
            look_along(axes[axis], colour[axis], first_[axis] + i, points_[axis], reach_[axis], periodic_[axis]));
      }
    }
    for (Index k = unknowns_.begin[2]; k < unknowns_.end[2]; ++k) {
      for (Index j = unknowns_.begin[1]; j < unknowns_.end[1]; ++j) {
        for (Index i = unknowns_.begin[0]; i < unknowns_.end[0]; ++i) {
          auto const x = sights[0][static_cast<std::size_t>(i)];
          auto const y = sights[1][static_cast<std::size_t>(j)];
          auto const z = sights[2][static_cast<std::size_t>(k)];
          Real const value = column[static_cast<std::size_t>(i + owned_.end[0] * (j + owned_.end[1] * k))];
          if (!x || !y || !z || value == Real{0}) continue;
          row(i, j, k).emplace_back(place(i + *x, j + *y, k + *z), value);
        }
      }
    }
  }

  [[nodiscard]] CrsRows<Real> rows() const {
    CrsRows<Real> rows;
    rows.offsets.push_back(0);
    for (auto const& row : entries_) {
      for (auto const& [column, value] : row) {
        rows.columns.push_back(column);
        rows.values.push_back(value);
      }
      rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
    }
    return rows;
  }

 private:
  [[nodiscard]] Index place(Index i, Index j, Index k) const {
    return layout_.first + i + j * layout_.row + k * layout_.plane;
  }
  auto& row(Index i, Index j, Index k) { return entries_[static_cast<std::size_t>(place(i, j, k))]; }

  IndexRange owned_;
  IndexRange unknowns_;
  BlockLayout layout_;
  Extents first_;
  Extents points_;
  std::array<bool, 3> periodic_{};
  std::array<int, 3> reach_{};
  std::vector<std::vector<std::pair<Index, Real>>> entries_;
};

}  // namespace

AxisColouring colour_axis(Index points, int radius, bool periodic) {
  Index const period = 2 * Index{radius} + 1;
  if (points <= period) return {0, points, points};
  if (!periodic) return {0, period, period};
  Index const longer = points % period;
  if (longer * (period + 1) > points) return {0, points, points};
  return {longer * (period + 1), period, longer > 0 ? period + 1 : period};
}

template <class Real>
std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius) {
  auto const unit = a.create_vector();
  auto const product = a.create_vector();
  auto const& like = as_field_vector<Real>(*unit);
  Field<Real> const& column = as_field_vector<Real>(*product).field();
  auto const* const mesh = dynamic_cast<StructuredMesh const*>(&column.mesh());
  if (mesh == nullptr) throw DefectError("probing needs a structured mesh");
  Extents const extents = mesh->extents(column.centring());
  Colourings axes;
  for (int axis = 0; axis < mesh->dimensions(); ++axis) {
    auto const at = static_cast<std::size_t>(axis);
    axes[at] = colour_axis(extents[at], radius, mesh->periodic(axis));
  }
  std::vector<BlockAssembly<Real>> blocks;
  std::vector<BlockGeometry<Real>> geometry;
  for (Block const& block : mesh->blocks()) {
    blocks.emplace_back(like, block, *mesh, radius);
    geometry.emplace_back(*mesh, block, column.centring());
  }
  std::vector<Real> values;
  Extents colour{};
  for (colour[2] = 0; colour[2] < axes[2].colours; ++colour[2]) {
    for (colour[1] = 0; colour[1] < axes[1].colours; ++colour[1]) {
      for (colour[0] = 0; colour[0] < axes[0].colours; ++colour[0]) {
        Indicator<Real> const indicator{{axes[0], axes[1], axes[2]}, {colour[0], colour[1], colour[2]}};
        for (Block const& block : mesh->blocks()) {
          sweep(execution(block), like.unknowns(block), geometry[block.local].geometry(), like.field().view(block),
                indicator);
        }
        a.apply(*unit, *product);
        for (Block const& block : mesh->blocks()) {
          values.resize(static_cast<std::size_t>(column.owned(block).size()));
          column.copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
          blocks[block.local].add(axes, colour, values);
        }
      }
    }
  }
  std::vector<CrsRows<Real>> all;
  for (auto const& block : blocks) all.push_back(block.rows());
  return all;
}

template std::vector<CrsRows<float>> assemble_rows<float>(Operator const&, int);
template std::vector<CrsRows<double>> assemble_rows<double>(Operator const&, int);

}  // namespace halocline
