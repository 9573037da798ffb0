#include "framework/mesh/structured_mesh.hpp"

#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// The number of nodes must fit in an Index.
void require_countable(std::array<Axis, 3> const& axes) {
  Index product = 1;
  for (Axis const& axis : axes) {
    bool overflow = axis.cells() == std::numeric_limits<Index>::max();
    overflow = overflow || __builtin_mul_overflow(product, axis.cells() + 1, &product);
    if (overflow) {
      throw InputError("a mesh of " + std::to_string(axes[0].cells()) + " x " + std::to_string(axes[1].cells()) +
                       " x " + std::to_string(axes[2].cells()) + " cells: their number does not fit in 64 bits");
    }
  }
}

/// \param hosts host of each rank
Partition cut(Extents const& cells, Periodicity const& periodic, ProcessGrid const& wanted, int dimensions,
              std::vector<int> const& hosts) {
  ProcessGrid const grid = choose_process_grid(cells, static_cast<int>(hosts.size()), periodic, wanted, dimensions);
  return {cells, grid, periodic, map_to_hosts(grid, cells, hosts)};
}

std::vector<Block> blocks_of(Partition const& partition, int rank) {
  std::vector<Block> blocks;
  for (Index const id : partition.blocks_of(rank)) {
    Block block;
    block.id = id;
    block.local = blocks.size();
    block.rank = rank;
    block.cells = partition.cells(id);
    block.execution = default_block_execution();
    for (std::size_t n = 0; n < block.neighbours.size(); ++n) {
      Direction const direction = direction_at(n);
      if (distance(direction) == 0) continue;
      if (auto const next = partition.neighbour(id, direction)) {
        block.neighbours[n] = Neighbour{*next, partition.rank(*next)};
      }
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// Every second edge of each block, starting with the block's first, and the last edge of the axis.
Axis coarsened_axis(Axis const& axis, std::vector<Index> const& starts) {
  bool all_even = true;
  bool all_single = true;
  for (std::size_t block = 1; block < starts.size(); ++block) {
    Index const cells = starts[block] - starts[block - 1];
    all_even = all_even && cells % 2 == 0;
    all_single = all_single && cells == 1;
  }
  if (all_single) return axis;
  if (all_even && axis.is_uniform()) return Axis::uniform(axis.cells() / 2, axis.lower(), axis.upper());
  std::vector<double> edges;
  for (std::size_t block = 1; block < starts.size(); ++block) {
    for (Index i = starts[block - 1]; i < starts[block]; i += 2) edges.push_back(axis.edge(i));
  }
  edges.push_back(axis.upper());
  return Axis::stretched(std::move(edges));
}

}  // namespace

std::shared_ptr<StructuredMesh const> StructuredMesh::make(StructuredMeshDescription const& description,
                                                           std::shared_ptr<Communicator> communicator) {
  std::vector<int> owners(static_cast<std::size_t>(communicator->size()));
  std::iota(owners.begin(), owners.end(), 0);
  return make_for(description, communicator->hosts_of_ranks(), owners, communicator);
}

std::shared_ptr<StructuredMesh const> StructuredMesh::make_for(StructuredMeshDescription const& description,
                                                               std::vector<int> const& hosts,
                                                               std::vector<int> const& owners,
                                                               std::shared_ptr<Communicator> communicator) {
  if (description.axes.empty() || description.axes.size() > 3) {
    throw InputError("a mesh has one, two or three axes, not " + std::to_string(description.axes.size()));
  }
  std::array<Axis, 3> axes;
  Extents cells{1, 1, 1};
  Periodicity periodic{};
  for (std::size_t axis = 0; axis < description.axes.size(); ++axis) {
    axes[axis] = description.axes[axis];
    cells[axis] = axes[axis].cells();
    periodic[axis] = description.periodic[axis];
  }
  require_countable(axes);
  auto const dimensions = static_cast<int>(description.axes.size());
  Partition const there = cut(cells, periodic, description.process_grid, dimensions, hosts);
  std::vector<int> here;
  for (int const rank : there.ranks()) here.push_back(owners[static_cast<std::size_t>(rank)]);
  return std::make_shared<StructuredMesh const>(
      dimensions, std::move(axes),
      Partition(cells, there.grid(), periodic, std::move(here)).divided(description.blocks_per_rank),
      std::move(communicator));
}

StructuredMesh::StructuredMesh(int dimensions, std::array<Axis, 3> axes, Partition partition,
                               std::shared_ptr<Communicator> communicator)
    : Mesh(dimensions, std::move(communicator)), axes_(std::move(axes)), partition_(std::move(partition)) {
  set_blocks(blocks_of(partition_, this->communicator().rank()));
}

Extents StructuredMesh::extents(Centring centring) const {
  Extents extents = partition_.cells();
  for (int axis = 0; axis < dimensions(); ++axis) {
    if (on_edges(centring, axis) && !periodic(axis)) ++extents[static_cast<std::size_t>(axis)];
  }
  return extents;
}

IndexRange StructuredMesh::global_owned(Index block, Centring centring) const {
  IndexRange range = partition_.cells(block);
  Extents const cells = partition_.cells();
  Extents const all = extents(centring);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (range.end[axis] == cells[axis]) range.end[axis] = all[axis];
  }
  return range;
}

double StructuredMesh::coordinate(int axis, Centring centring, Index i) const {
  if (axis >= dimensions()) return 0;
  Axis const& line = this->axis(axis);
  bool const edges = on_edges(centring, axis);
  Index const cells = line.cells();
  Index const last = edges ? cells : cells - 1;
  double shift = 0;
  double sign = 1;
  while (i < 0 || i > last) {
    if (periodic(axis)) {
      Index const turns = i < 0 ? -((cells - 1 - i) / cells) : i / cells;
      return line.length() * static_cast<double>(turns) + coordinate(axis, centring, i - turns * cells);
    }
    shift += sign * 2 * (i < 0 ? line.lower() : line.upper());
    sign = -sign;
    Index const sum = edges ? 0 : -1;  // of an index and its mirror image at the lower end
    i = (i < 0 ? sum : 2 * last - sum) - i;
  }
  return shift + sign * (edges ? line.edge(i) : line.centre(i));
}

double StructuredMesh::cell_width(int axis, Index i) const {
  Axis const& line = this->axis(axis);
  Index const cells = line.cells();
  while (i < 0 || i >= cells) {
    if (periodic(axis)) {
      i = (i % cells + cells) % cells;
    } else {
      i = (i < 0 ? -1 : 2 * cells - 1) - i;
    }
  }
  return line.width(i);
}

std::vector<double> StructuredMesh::coordinates(Block const& block, int axis, Centring centring, int ghosts) const {
  IndexRange const owned = global_owned(block.id, centring);
  auto const a = static_cast<std::size_t>(axis);
  Index const layers = axis < dimensions() ? ghosts : 0;
  std::vector<double> positions;
  for (Index i = owned.begin[a] - layers; i < owned.end[a] + layers; ++i) {
    positions.push_back(coordinate(axis, centring, i));
  }
  return positions;
}

std::shared_ptr<StructuredMesh const> StructuredMesh::coarsened() const {
  std::array<Axis, 3> axes;
  for (int axis = 0; axis < dimensions(); ++axis) {
    axes[static_cast<std::size_t>(axis)] = coarsened_axis(this->axis(axis), partition_.starts(axis));
  }
  return std::make_shared<StructuredMesh const>(dimensions(), std::move(axes), partition_.coarsened(),
                                                shared_communicator());
}

StructuredMesh const& structured(Mesh const& mesh) {
  auto const* const found = dynamic_cast<StructuredMesh const*>(&mesh);
  if (found == nullptr) throw DefectError("a structured mesh is needed here");
  return *found;
}

}  // namespace halocline
