#include "framework/mesh/point_set.hpp"

#include <string>
#include <utility>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {
namespace {

/// The owning rank of each block.
std::vector<int> owners(Communicator const& communicator, std::size_t blocks) {
  std::vector<Index> counts(static_cast<std::size_t>(communicator.size()), 0);
  counts[static_cast<std::size_t>(communicator.rank())] = static_cast<Index>(blocks);
  communicator.sum(counts);
  std::vector<int> ranks;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    auto const count = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    if (count == 0)
      throw InputError("a set of points needs a block on every rank; rank " + std::to_string(rank) + " has none");
    ranks.insert(ranks.end(), count, rank);
  }
  return ranks;
}

}  // namespace

PointSet::PointSet(Index points, std::shared_ptr<Communicator> communicator,
                   std::vector<std::shared_ptr<BlockExecution const>> const& executions)
    : Mesh(1, std::move(communicator)), ranks_(owners(this->communicator(), executions.size())) {
  if (points < 1) throw InputError("a set of " + std::to_string(points) + " points: it needs one or more");
  for (Index id = 0; id <= block_count(); ++id) starts_.push_back(even_share_begin(points, block_count(), id));
  std::vector<Block> blocks;
  for (Index id = 0; id < block_count(); ++id) {
    if (rank_of(id) != this->communicator().rank()) continue;
    Block block;
    block.id = id;
    block.local = blocks.size();
    block.rank = rank_of(id);
    block.cells = global_owned(id, Centring::cell);
    block.execution = executions[block.local];
    blocks.push_back(std::move(block));
  }
  set_blocks(std::move(blocks));
}

IndexRange PointSet::global_owned(Index block, Centring) const {
  auto const b = static_cast<std::size_t>(block);
  return {{starts_[b], 0, 0}, {starts_[b + 1], 1, 1}};
}

Index PointSet::points_of(Index block) const {
  auto const b = static_cast<std::size_t>(block);
  return starts_[b + 1] - starts_[b];
}

PointSet const* as_points(Mesh const& mesh) { return dynamic_cast<PointSet const*>(&mesh); }

}  // namespace halocline
