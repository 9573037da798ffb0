#pragma once

#include <array>
#include <optional>
#include <vector>

#include "framework/mesh/block.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Number of blocks along x, y and z.
using ProcessGrid = std::array<int, 3>;
/// Whether the mesh closes on itself along x, y and z.
using Periodicity = std::array<bool, 3>;

/// The process grid of `ranks` blocks whose busiest block sends the fewest entries of a one-layer exchange (ties: the
/// smallest largest block, then the grid that cuts z, then y, so that rows along x stay whole). A positive entry of
/// `wanted` is kept; 0 is chosen.
/// Throws InputError when no grid of `ranks` blocks leaves every block a cell on every axis, or when `wanted` does not
/// divide `ranks`.
[[nodiscard]] ProcessGrid choose_process_grid(Extents const& cells, int ranks, Periodicity const& periodic,
                                              ProcessGrid const& wanted = {0, 0, 0});

/// Rank of every block of `grid` (x fastest), such that ranks of one host work on neighbouring blocks. `hosts[rank]`
/// names the host of each rank by any number. Hosts with equally many ranks get reduction tiles of the grid with the
/// least surface to other hosts; otherwise the better of rank order and a path that winds through the grid is taken.
[[nodiscard]] std::vector<int> map_to_hosts(ProcessGrid const& grid, Extents const& cells,
                                            std::vector<int> const& hosts);

/// Cells cut into a Cartesian grid of blocks, and who owns which. Plain data, the same on every rank.
class Partition {
 public:
  /// Blocks may be larger or smaller than an even cut would make them by one part in this many.
  static constexpr Index dearest_alignment = 32;

  /// Cut at multiples of the largest power of two that leaves the blocks of an axis nearly as even as can be
  /// (dearest_alignment); where that is 1, the first blocks have one cell more if the count does not divide.
  /// `rank_of_block` empty: block n on rank n. Throws InputError when an axis has fewer cells than blocks.
  Partition(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic,
            std::vector<int> rank_of_block = {});
  /// Cut at given places: `starts[axis]` holds the first cell of each block and, last, the number of cells.
  Partition(std::array<std::vector<Index>, 3> starts, Periodicity const& periodic, std::vector<int> rank_of_block);

  [[nodiscard]] Extents cells() const;
  [[nodiscard]] ProcessGrid const& grid() const { return grid_; }
  [[nodiscard]] Periodicity const& periodic() const { return periodic_; }
  [[nodiscard]] Index blocks() const { return static_cast<Index>(rank_of_block_.size()); }
  [[nodiscard]] int rank(Index block) const { return rank_of_block_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] std::vector<int> const& ranks() const { return rank_of_block_; }
  /// Global ids of the blocks of a rank, rising.
  [[nodiscard]] std::vector<Index> blocks_of(int rank) const;
  /// Place of a block in the grid.
  [[nodiscard]] std::array<int, 3> place(Index block) const;
  /// Global indices of a block's cells.
  [[nodiscard]] IndexRange cells(Index block) const;
  /// First cell of each block along an axis and, last, the number of cells.
  [[nodiscard]] std::vector<Index> const& starts(int axis) const { return starts_[static_cast<std::size_t>(axis)]; }
  /// The block one step away, around the end on a periodic axis.
  [[nodiscard]] std::optional<Index> neighbour(Index block, Direction const& direction) const;
  /// Cells of the thinnest block along an axis.
  [[nodiscard]] Index thinnest(int axis) const;
  /// Every block cut into `parts` uneven ones (two: 2/5 and 3/5 of its cells) that stay on its rank, along the axis
  /// whose thinnest block is the thickest (ties: z, then y). Throws InputError when a block has too few cells for that.
  [[nodiscard]] Partition divided(int parts) const;
  /// Every block cut down to ceil(n / 2) cells per axis: the partition of StructuredMesh::coarsened.
  [[nodiscard]] Partition coarsened() const;

 private:
  /// The block at a place of the grid.
  [[nodiscard]] Index block_at(std::array<int, 3> const& place) const;

  std::array<std::vector<Index>, 3> starts_;
  ProcessGrid grid_;
  Periodicity periodic_;
  std::vector<int> rank_of_block_;
};

}  // namespace halocline
