#pragma once

#include <array>
#include <optional>
#include <vector>

#include "framework/mesh/block.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Number of blocks along x, y and z.
using ProcessGrid = std::array<int, 3>;
/// Whether the mesh is periodic along x, y and z.
using Periodicity = std::array<bool, 3>;

/// Chooses the process grid of `ranks` blocks that minimises the entries sent by the busiest block in a one-layer
/// exchange. Ties: the smallest largest block, then the grid that cuts z, then y, so that rows along x stay whole. A
/// positive entry of `wanted` is fixed; 0 is chosen.
/// Throws InputError if no grid of `ranks` blocks gives every block a cell on every axis, or if `wanted` does not
/// divide `ranks`.
/// \param dimensions axes of the mesh, for the message
[[nodiscard]] ProcessGrid choose_process_grid(Extents const& cells, int ranks, Periodicity const& periodic,
                                              ProcessGrid const& wanted = {0, 0, 0}, int dimensions = 3);

/// The rank of every block of `grid` (x fastest), such that ranks of one host own neighbouring blocks. `hosts[rank]` is
/// any number that identifies the rank's host. Of rank order, winding paths through the grid and, if hosts have equally
/// many ranks, boxes of blocks, the one with the least surface between hosts is chosen. Throws DefectError unless there
/// is one rank a block.
[[nodiscard]] std::vector<int> map_to_hosts(ProcessGrid const& grid, Extents const& cells,
                                            std::vector<int> const& hosts);

/// Cells divided into a Cartesian grid of blocks, with the owner of each block. Plain data, equal on all ranks.
class Partition {
 public:
  /// Alignment may make blocks larger or smaller than an even division by one part in this many.
  static constexpr Index dearest_alignment = 32;

  /// Divides axes at multiples of the largest power of two that keeps blocks nearly even (dearest_alignment). If that
  /// is 1 and the count does not divide, the first blocks have one cell more. `rank_of_block` empty: block n on rank n.
  /// Throws InputError if an axis has fewer cells than blocks.
  Partition(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic,
            std::vector<int> rank_of_block = {});
  /// Divides at given positions: `starts[axis]` has the first cell of each block, followed by the number of cells.
  Partition(std::array<std::vector<Index>, 3> starts, Periodicity const& periodic, std::vector<int> rank_of_block);

  [[nodiscard]] Extents cells() const;
  [[nodiscard]] ProcessGrid const& grid() const { return grid_; }
  [[nodiscard]] Periodicity const& periodic() const { return periodic_; }
  [[nodiscard]] Index blocks() const { return static_cast<Index>(rank_of_block_.size()); }
  [[nodiscard]] int rank(Index block) const { return rank_of_block_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] std::vector<int> const& ranks() const { return rank_of_block_; }
  /// Global ids of the blocks of a rank, ascending.
  [[nodiscard]] std::vector<Index> blocks_of(int rank) const;
  /// Position of a block in the grid.
  [[nodiscard]] std::array<int, 3> place(Index block) const;
  /// Global indices of a block's cells.
  [[nodiscard]] IndexRange cells(Index block) const;
  /// First cell of each block along an axis, followed by the number of cells.
  [[nodiscard]] std::vector<Index> const& starts(int axis) const { return starts_[static_cast<std::size_t>(axis)]; }
  /// The adjacent block in a direction, across the boundary on a periodic axis.
  [[nodiscard]] std::optional<Index> neighbour(Index block, Direction const& direction) const;
  /// Cells of the thinnest block along an axis.
  [[nodiscard]] Index thinnest(int axis) const;
  /// Divides every block into `parts` uneven blocks (two: 2/5 and 3/5 of its cells) on the same rank, along the axis
  /// whose thinnest block is the thickest (ties: z, then y). Throws InputError if a block has too few cells for that.
  [[nodiscard]] Partition divided(int parts) const;
  /// Halves every block to ceil(n / 2) cells per axis: the partition of StructuredMesh::coarsened.
  [[nodiscard]] Partition coarsened() const;

 private:
  /// The block at a position in the grid.
  [[nodiscard]] Index block_at(std::array<int, 3> const& place) const;

  std::array<std::vector<Index>, 3> starts_;
  ProcessGrid grid_;
  Periodicity periodic_;
  std::vector<int> rank_of_block_;
};

}  // namespace halocline
