#include "framework/mesh/partition.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "framework/runtime/error.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {

namespace {

/// First cell of block b of `blocks` even ones, rounded to the nearest multiple of `unit`.
Index start_of(Index cells, int blocks, int block, Index unit) {
  Index const even = even_share_begin(cells, blocks, block);
  return block == blocks ? cells : (even + unit / 2) / unit * unit;
}

/// Whether cuts at multiples of `unit` keep all blocks close to an even division.
bool is_nearly_even(Index cells, int blocks, Index unit) {
  Index const least = cells / blocks;
  Index const most = (cells + blocks - 1) / blocks;
  Index const more = most / Partition::dearest_alignment;
  for (int block = 0; block < blocks; ++block) {
    Index const size = start_of(cells, blocks, block + 1, unit) - start_of(cells, blocks, block, unit);
    if (size < least - more || size > most + more) return false;
  }
  return true;
}

/// Multigrid merges pairs of cells within a block, level by level: with cuts at multiples of a power of two it has the
/// same levels as on one rank.
std::vector<Index> starts_of(Index cells, int blocks, std::size_t axis) {
  if (blocks < 1 || cells < blocks) {
    throw InputError("axis " + std::string(1, "xyz"[axis]) + " has " + std::to_string(cells) +
                     " cells and cannot be cut into " + std::to_string(blocks) + " blocks of at least one cell");
  }
  Index unit = 1;
  while (unit < cells / blocks && is_nearly_even(cells, blocks, 2 * unit)) unit *= 2;
  std::vector<Index> starts;
  for (int block = 0; block <= blocks; ++block) starts.push_back(start_of(cells, blocks, block, unit));
  return starts;
}

std::vector<int> one_block_a_rank(ProcessGrid const& grid) {
  std::vector<int> ranks(static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]) *
                         static_cast<std::size_t>(grid[2]));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// End of the n-th of `parts` parts of `cells` cells. Each part has at least one cell; the cells beyond that are
/// divided in the ratio parts : parts + 1 : … : 2 parts - 1.
Index uneven_end(Index cells, int parts, int n) {
  Index const before = Index{n} * parts + Index{n} * (n - 1) / 2;
  Index const all = Index{parts} * parts + Index{parts} * (parts - 1) / 2;
  return n + (cells - parts) / all * before + (cells - parts) % all * before / all;
}

}  // namespace

Partition::Partition(Extents const& cells, ProcessGrid const& grid, Periodicity const& periodic,
                     std::vector<int> rank_of_block)
    : Partition({starts_of(cells[0], grid[0], 0), starts_of(cells[1], grid[1], 1), starts_of(cells[2], grid[2], 2)},
                periodic, rank_of_block.empty() ? one_block_a_rank(grid) : std::move(rank_of_block)) {}

Partition::Partition(std::array<std::vector<Index>, 3> starts, Periodicity const& periodic,
                     std::vector<int> rank_of_block)
    : starts_(std::move(starts)), grid_{}, periodic_(periodic), rank_of_block_(std::move(rank_of_block)) {
  Index blocks = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid_[axis] = static_cast<int>(starts_[axis].size()) - 1;
    blocks *= grid_[axis];
  }
  if (blocks != this->blocks()) throw DefectError("a partition needs one rank for each block");
}

Extents Partition::cells() const { return {starts_[0].back(), starts_[1].back(), starts_[2].back()}; }

std::vector<Index> Partition::blocks_of(int rank) const {
  std::vector<Index> blocks;
  for (std::size_t block = 0; block < rank_of_block_.size(); ++block) {
    if (rank_of_block_[block] == rank) blocks.push_back(static_cast<Index>(block));
  }
  return blocks;
}

std::array<int, 3> Partition::place(Index block) const {
  Index const rows = block / grid_[0];
  return {static_cast<int>(block % grid_[0]), static_cast<int>(rows % grid_[1]), static_cast<int>(rows / grid_[1])};
}

Index Partition::thinnest(int axis) const {
  std::vector<Index> const& starts = this->starts(axis);
  Index least = starts.back();
  for (std::size_t block = 1; block < starts.size(); ++block)
    least = std::min(least, starts[block] - starts[block - 1]);
  return least;
}

Index Partition::block_at(std::array<int, 3> const& place) const {
  return place[0] + Index{grid_[0]} * (place[1] + Index{grid_[1]} * place[2]);
}

IndexRange Partition::cells(Index block) const {
  IndexRange range;
  std::array<int, 3> const at = place(block);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.begin[axis] = starts_[axis][static_cast<std::size_t>(at[axis])];
    range.end[axis] = starts_[axis][static_cast<std::size_t>(at[axis]) + 1];
  }
  return range;
}

std::optional<Index> Partition::neighbour(Index block, Direction const& direction) const {
  std::array<int, 3> at = place(block);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    int const next = at[axis] + direction[axis];
    bool const outside = next < 0 || next >= grid_[axis];
    if (outside && !periodic_[axis]) return std::nullopt;
    at[axis] = (next + grid_[axis]) % grid_[axis];
  }
  return block_at(at);
}

Partition Partition::divided(int parts) const {
  if (parts < 1) throw InputError("a rank owns at least one block, not " + std::to_string(parts));
  if (parts == 1) return *this;
  int along = 0;
  for (int a = 1; a < 3; ++a) {
    if (thinnest(a) >= thinnest(along)) along = a;
  }
  Index const least = thinnest(along);
  if (least < parts) {
    throw InputError("a block of at most " + std::to_string(least) + " cells along each axis cannot be cut into " +
                     std::to_string(parts) +
                     " blocks of at least one cell: use fewer blocks per rank, fewer ranks or more cells");
  }
  auto const axis = static_cast<std::size_t>(along);
  std::array<std::vector<Index>, 3> starts = starts_;
  starts[axis] = {0};
  for (std::size_t block = 1; block < starts_[axis].size(); ++block) {
    Index const first = starts_[axis][block - 1];
    for (int part = 1; part <= parts; ++part) {
      starts[axis].push_back(first + uneven_end(starts_[axis][block] - first, parts, part));
    }
  }
  Partition all(std::move(starts), periodic_,
                std::vector<int>(rank_of_block_.size() * static_cast<std::size_t>(parts)));
  for (Index block = 0; block < all.blocks(); ++block) {
    std::array<int, 3> at = all.place(block);
    at[axis] /= parts;
    all.rank_of_block_[static_cast<std::size_t>(block)] = rank(block_at(at));
  }
  return all;
}

Partition Partition::coarsened() const {
  std::array<std::vector<Index>, 3> starts;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    starts[axis] = {0};
    for (std::size_t block = 1; block < starts_[axis].size(); ++block) {
      Index const fine = starts_[axis][block] - starts_[axis][block - 1];
      starts[axis].push_back(starts[axis].back() + (fine + 1) / 2);
    }
  }
  return {std::move(starts), periodic_, rank_of_block_};
}

}  // namespace halocline
