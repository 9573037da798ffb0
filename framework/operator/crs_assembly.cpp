#include "framework/operator/crs_assembly.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/device_array.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

using Colourings = std::array<AxisColouring, 3>;

/// Leaves some thousands below the limit, for loops that read ahead.
constexpr Index most_entries = std::numeric_limits<int>::max() - Index{4096};

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

/// Finds the columns of one colour in the rows of a block's points.
struct Sight {
  AxisColouring axes[3];
  Index colour[3];
  Index first[3];   ///< global index of the block's entry (0, 0, 0)
  Index owned[3];   ///< points of the block
  Index points[3];  ///< of the whole mesh
  int reach[3];
  bool periodic[3];
  BlockLayout layout;

  /// Along one axis: finds the offset, nearest first, from a point of the block to a column of the colour, if there is
  /// one within reach. On a short periodic axis, two offsets may lead to one column: takes the one within the block.
  [[nodiscard]] KOKKOS_FUNCTION bool find_along(int axis, Index point, Index& found) const {
    for (Index distance = 0; distance <= reach[axis]; ++distance) {
      bool is_seen = false;
      for (Index const offset : {-distance, distance}) {
        Index column = first[axis] + point + offset;
        if (periodic[axis]) column = (column % points[axis] + points[axis]) % points[axis];
        if (column < 0 || column >= points[axis] || axes[axis].colour(column) != colour[axis]) continue;
        bool const is_within = point + offset >= 0 && point + offset < owned[axis];
        if (!is_seen || is_within) found = offset;
        is_seen = true;
      }
      if (is_seen) return true;
    }
    return false;
  }
  [[nodiscard]] KOKKOS_FUNCTION Index place(Index i, Index j, Index k) const {
    return layout.first + i + j * layout.row + k * layout.plane;
  }
  /// Finds the position of the column of the colour within reach of a point, if there is one.
  [[nodiscard]] KOKKOS_FUNCTION bool find_column(Index i, Index j, Index k, Index& column) const {
    Index offset[3] = {};
    if (!find_along(0, i, offset[0]) || !find_along(1, j, offset[1]) || !find_along(2, k, offset[2])) {
      return false;
    }
    column = place(i + offset[0], j + offset[1], k + offset[2]);
    return true;
  }
};

using Counts = Kokkos::View<int*, Memory>;

/// Counts the entries of the columns of a colour. `product`: the operator times their unit vectors.
template <class Real>
struct CountEntries {
  Sight sight;
  BlockView<Real const> product;
  Counts counts;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index column = 0;
    if (product(i, j, k) == Real{0} || !sight.find_column(i, j, k, column)) return;
    ++counts(static_cast<std::size_t>(sight.place(i, j, k)));
  }
};

/// Stores the entries of the columns of a colour.
template <class Real>
struct StoreEntries {
  Sight sight;
  BlockView<Real const> product;
  Counts ends;  ///< where the next entry of each row goes
  CrsRows<Real> rows;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index column = 0;
    Real const value = product(i, j, k);
    if (value == Real{0} || !sight.find_column(i, j, k, column)) return;
    int const at = ends(static_cast<std::size_t>(sight.place(i, j, k)))++;
    rows.columns(static_cast<std::size_t>(at)) = static_cast<int>(column);
    rows.values(static_cast<std::size_t>(at)) = value;
  }
};

/// Turns counts into offsets; the total is computed in more bits than these have.
struct SumUpCounts {
  Counts counts;
  Counts offsets;
  KOKKOS_FUNCTION void operator()(std::size_t row, Index& sum, bool is_final) const {
    if (is_final) offsets(row) = static_cast<int>(sum);
    if (row < counts.extent(0)) sum += counts(row);
  }
};

/// Columns arrive unordered, colour by colour. Rows are short, so insertion sort suffices.
template <class Real>
struct SortRow {
  CrsRows<Real> rows;
  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    auto const& [offsets, columns, values] = rows;
    int const begin = offsets(row);
    for (int n = begin + 1; n < offsets(row + 1); ++n) {
      int const column = columns(static_cast<std::size_t>(n));
      Real const value = values(static_cast<std::size_t>(n));
      int at = n;
      for (; at > begin && columns(static_cast<std::size_t>(at - 1)) > column; --at) {
        columns(static_cast<std::size_t>(at)) = columns(static_cast<std::size_t>(at - 1));
        values(static_cast<std::size_t>(at)) = values(static_cast<std::size_t>(at - 1));
      }
      columns(static_cast<std::size_t>(at)) = column;
      values(static_cast<std::size_t>(at)) = value;
    }
  }
};

/// Collects the entries of one block, column colour by column colour.
template <class Real>
class BlockAssembly {
 public:
  BlockAssembly(FieldVector<Real> const& like, Block const& block, StructuredMesh const& mesh, int radius)
      : block_(block),
        unknowns_(like.unknowns(block)),
        counts_("halocline: entries of rows", static_cast<std::size_t>(like.field().layout(block).entries)) {
    sight_.layout = like.field().layout(block);
    Extents const first = mesh.global_owned(block.id, like.field().centring()).begin;
    Extents const points = mesh.extents(like.field().centring());
    for (int axis = 0; axis < 3; ++axis) {
      bool const has_neighbours = axis < mesh.dimensions();
      sight_.first[axis] = first[static_cast<std::size_t>(axis)];
      sight_.owned[axis] = like.field().owned(block).end[static_cast<std::size_t>(axis)];
      sight_.points[axis] = points[static_cast<std::size_t>(axis)];
      sight_.reach[axis] = has_neighbours ? radius : 0;
      sight_.periodic[axis] = has_neighbours && mesh.periodic(axis);
    }
  }

  void set_colour(Colourings const& axes, Extents const& colour) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sight_.axes[axis] = axes[axis];
      sight_.colour[axis] = colour[axis];
    }
  }
  void count(BlockView<Real const> const& product) const { for_unknowns(CountEntries<Real>{sight_, product, counts_}); }
  /// Ends the count. Returns the number of entries, or of rows where that is larger.
  [[nodiscard]] Index end_count() {
    std::size_t const rows = counts_.extent(0);
    rows_.offsets = device_array<int>("offsets of rows", rows + 1);
    Index sum = 0;
    Kokkos::parallel_scan(Kokkos::RangePolicy<Execution>(execution(block_), 0, rows + 1),
                          SumUpCounts{counts_, rows_.offsets}, sum);
    entries_ = static_cast<std::size_t>(sum);
    return std::max(sum, static_cast<Index>(rows));
  }
  void make_room() {
    rows_.columns = device_array<int>("columns", entries_);
    rows_.values = device_array<Real>("values", entries_);
    Kokkos::deep_copy(execution(block_), counts_,
                      Kokkos::subview(rows_.offsets, Kokkos::make_pair(std::size_t{0}, counts_.extent(0))));
  }
  void store(BlockView<Real const> const& product) const {
    for_unknowns(StoreEntries<Real>{sight_, product, counts_, rows_});
  }
  [[nodiscard]] CrsRows<Real> rows() const {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution>(execution(block_), 0, counts_.extent(0)), SortRow<Real>{rows_});
    return rows_;
  }

 private:
  template <class Action>
  void for_unknowns(Action const& action) const {
    using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                         Kokkos::IndexType<Index>>;
    if (unknowns_.empty()) return;
    auto const& [begin, end] = unknowns_;
    Kokkos::parallel_for(Policy(execution(block_), {begin[0], begin[1], begin[2]}, {end[0], end[1], end[2]}), action);
  }

  Block const& block_;
  IndexRange unknowns_;
  Sight sight_{};
  Counts counts_;  ///< of the rows' entries; later where the next entry of each row goes
  std::size_t entries_ = 0;
  CrsRows<Real> rows_;
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
  /// Calls consume(assembly, product) for every colour and block.
  auto const for_colours = [&](auto const& consume) {
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
            BlockAssembly<Real>& assembly = blocks[block.local];
            assembly.set_colour(axes, colour);
            consume(assembly, BlockView<Real const>(column.view(block)));
          }
        }
      }
    }
  };
  for_colours([](BlockAssembly<Real> const& assembly, BlockView<Real const> const& seen) { assembly.count(seen); });
  Index largest = 0;
  for (auto& block : blocks) largest = std::max(largest, block.end_count());
  if (mesh->communicator().max(largest) > most_entries) {
    throw SolveError("a matrix with more than " + std::to_string(most_entries) +
                     " entries on a rank cannot be assembled; use more ranks");
  }
  for (auto& block : blocks) block.make_room();
  for_colours([](BlockAssembly<Real> const& assembly, BlockView<Real const> const& seen) { assembly.store(seen); });
  std::vector<CrsRows<Real>> all;
  for (auto const& block : blocks) all.push_back(block.rows());
  return all;
}

template std::vector<CrsRows<float>> assemble_rows<float>(Operator const&, int);
template std::vector<CrsRows<double>> assemble_rows<double>(Operator const&, int);

}  // namespace halocline
