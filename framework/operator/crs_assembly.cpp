#include "framework/operator/crs_assembly.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/probing.hpp"

namespace halocline {

namespace {

/// Along one axis: the offset, nearest first, at which a point sees a column of a colour, or nothing.
struct Sight {
  bool found = false;
  Index offset = 0;
};

Sight look_along(AxisColouring const& axis, Index colour, Index global, Index points, int radius, bool periodic) {
  for (Index distance = 0; distance <= radius; ++distance) {
    for (Index const offset : {-distance, distance}) {
      Index column = global + offset;
      if (periodic) column = (column % points + points) % points;
      if (column >= 0 && column < points && axis.colour(column) == colour) return {true, offset};
    }
  }
  return {};
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
        radius_(radius),
        entries_(static_cast<std::size_t>(layout_.entries)) {
    for (int axis = 0; axis < mesh.dimensions(); ++axis) {
      periodic_[static_cast<std::size_t>(axis)] = mesh.periodic(axis);
      reach_[static_cast<std::size_t>(axis)] = radius;
    }
  }

  /// `column`: the owned entries of A times the unit vectors of `colour`.
  void add(std::array<AxisColouring, 3> const& axes, Extents const& colour, std::vector<Real> const& column) {
    std::array<std::vector<Sight>, 3> sights;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (Index i = 0; i < owned_.end[axis]; ++i) {
        sights[axis].push_back(
            look_along(axes[axis], colour[axis], first_[axis] + i, points_[axis], reach_[axis], periodic_[axis]));
      }
    }
    for (Index k = unknowns_.begin[2]; k < unknowns_.end[2]; ++k) {
      for (Index j = unknowns_.begin[1]; j < unknowns_.end[1]; ++j) {
        for (Index i = unknowns_.begin[0]; i < unknowns_.end[0]; ++i) {
          Sight const& x = sights[0][static_cast<std::size_t>(i)];
          Sight const& y = sights[1][static_cast<std::size_t>(j)];
          Sight const& z = sights[2][static_cast<std::size_t>(k)];
          Real const value = column[static_cast<std::size_t>(i + owned_.end[0] * (j + owned_.end[1] * k))];
          if (!x.found || !y.found || !z.found || value == Real{0}) continue;
          row(i, j, k).emplace_back(place(i + x.offset, j + y.offset, k + z.offset), value);
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
  int radius_;
  std::array<bool, 3> periodic_{};
  std::array<int, 3> reach_{};
  std::vector<std::vector<std::pair<Index, Real>>> entries_;
};

}  // namespace

template <class Real>
std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius) {
  auto const prototype = a.create_vector();
  auto const& like = as_field_vector<Real>(*prototype);
  Probe<Real> probe(a, radius);
  std::vector<BlockAssembly<Real>> blocks;
  for (Block const& block : probe.mesh().blocks()) blocks.emplace_back(like, block, probe.mesh(), radius);
  std::vector<Real> values;
  for (Index n = 0; n < probe.colours(); ++n) {
    FieldVector<Real> const& column = probe.apply(n);
    for (Block const& block : probe.mesh().blocks()) {
      values.resize(static_cast<std::size_t>(column.field().owned(block).size()));
      column.field().copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
      blocks[block.local].add(probe.axes(), probe.colour(n), values);
    }
  }
  std::vector<CrsRows<Real>> all;
  for (auto const& block : blocks) all.push_back(block.rows());
  return all;
}

template std::vector<CrsRows<float>> assemble_rows<float>(Operator const&, int);
template std::vector<CrsRows<double>> assemble_rows<double>(Operator const&, int);

}  // namespace halocline
