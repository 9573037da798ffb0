#include "framework/multigrid/paired_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace halocline {
namespace {

/// The coarse cells along one axis: the fine cell with which each begins, and the first one of each block.
struct Pairs {
  std::vector<Index> first;
  std::vector<Index> starts;
};

Pairs pairs_within_blocks(std::vector<Index> const& starts) {
  Pairs pairs{{}, {0}};
  for (std::size_t block = 1; block < starts.size(); ++block) {
    for (Index n = starts[block - 1]; n < starts[block]; n += 2) pairs.first.push_back(n);
    pairs.starts.push_back(static_cast<Index>(pairs.first.size()));
  }
  pairs.first.push_back(starts.back());
  return pairs;
}

Pairs pairs_across_blocks(std::vector<Index> const& starts) {
  Pairs pairs;
  for (Index const start : starts) pairs.starts.push_back((start + 1) / 2);
  bool const each_has_one = std::adjacent_find(pairs.starts.begin(), pairs.starts.end()) == pairs.starts.end();
  if (!each_has_one) return pairs_within_blocks(starts);
  for (Index n = 0; n < starts.back(); n += 2) pairs.first.push_back(n);
  pairs.first.push_back(starts.back());
  return pairs;
}

Axis coarse_axis(Axis const& axis, std::vector<Index> const& first) {
  auto const cells = static_cast<Index>(first.size()) - 1;
  bool are_alike = true;
  for (std::size_t n = 1; n < first.size(); ++n)
    are_alike = are_alike && first[n] - first[n - 1] == first[1] - first[0];
  if (are_alike && axis.is_uniform()) return Axis::uniform(cells, axis.lower(), axis.upper());
  std::vector<double> edges;
  for (Index const n : first) edges.push_back(axis.edge(n));
  return Axis::stretched(std::move(edges));
}

}  // namespace

PairedCells paired_within_blocks(StructuredMesh const& fine) {
  PairedCells paired;
  paired.mesh = fine.coarsened();
  for (int axis = 0; axis < 3; ++axis) {
    paired.first[static_cast<std::size_t>(axis)] = pairs_within_blocks(fine.partition().starts(axis)).first;
  }
  return paired;
}

PairedCells paired_across_blocks(StructuredMesh const& fine) {
  PairedCells paired;
  std::array<Axis, 3> axes = fine.axes();
  std::array<std::vector<Index>, 3> starts;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    Pairs pairs = pairs_across_blocks(fine.partition().starts(axis));
    if (axis < fine.dimensions()) axes[a] = coarse_axis(axes[a], pairs.first);
    paired.first[a] = std::move(pairs.first);
    starts[a] = std::move(pairs.starts);
  }
  Partition partition(std::move(starts), fine.partition().periodic(), fine.partition().ranks());
  paired.mesh = std::make_shared<StructuredMesh const>(fine.dimensions(), std::move(axes), std::move(partition),
                                                       fine.shared_communicator());
  return paired;
}

}  // namespace halocline
