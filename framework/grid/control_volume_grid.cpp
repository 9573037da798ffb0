#include "framework/grid/control_volume_grid.hpp"

#include <algorithm>
#include <utility>

namespace halocline {
namespace {

std::size_t place(int axis) { return static_cast<std::size_t>(axis); }

/// An axis whose cells have the widths of the control volumes. Uniform control volumes give a uniform axis.
Axis axis_of(ControlVolumes const& volumes) {
  double edge = volumes.position.front() - volumes.width.front() / 2;
  std::vector<double> edges{edge};
  for (double const width : volumes.width) edges.push_back(edge += width);
  if (volumes.is_uniform()) return Axis::uniform(volumes.size(), edges.front(), edges.back());
  return Axis::stretched(std::move(edges));
}

std::shared_ptr<StructuredMesh const> mesh_of(std::array<ControlVolumes, 3> const& volumes, Partition partition,
                                              int dimensions, std::shared_ptr<Communicator> communicator) {
  std::array<Axis, 3> axes;
  for (int axis = 0; axis < dimensions; ++axis) axes[place(axis)] = axis_of(volumes[place(axis)]);
  return std::make_shared<StructuredMesh const>(dimensions, axes, std::move(partition), std::move(communicator));
}

}  // namespace

Index ControlVolumeGrid::size() const { return volumes[0].size() * volumes[1].size() * volumes[2].size(); }

Extents ControlVolumeGrid::first_entry(Block const& block) const {
  return mesh->global_owned(block.id, centring).begin;
}

IndexRange ControlVolumeGrid::unknowns(Block const& block) const {
  IndexRange all;
  for (std::size_t a = 0; a < 3; ++a) {
    all.begin[a] = volumes[a].first_entry;
    all.end[a] = volumes[a].first_entry + volumes[a].size();
  }
  IndexRange const owned = mesh->global_owned(block.id, centring);
  Extents const first = owned.begin;
  return shifted(intersection(all, owned), {-first[0], -first[1], -first[2]});
}

std::vector<IndexRange> ControlVolumeGrid::unknowns() const {
  std::vector<IndexRange> all;
  for (Block const& block : mesh->blocks()) all.push_back(unknowns(block));
  return all;
}

Extents ControlVolumeGrid::first_unknown(Block const& block) const {
  Extents const entry = first_entry(block);
  Extents const begin = unknowns(block).begin;
  Extents first{};
  for (std::size_t a = 0; a < 3; ++a) first[a] = entry[a] + begin[a] - volumes[a].first_entry;
  return first;
}

std::vector<Index> ControlVolumeGrid::starts(int axis) const {
  ControlVolumes const& line = volumes[place(axis)];
  // The upper block owns entries on the border of two blocks, so blocks begin where their cells begin.
  std::vector<Index> all;
  for (Index const cell : mesh->partition().starts(axis)) {
    all.push_back(std::clamp<Index>(cell - line.first_entry, 0, line.size()));
  }
  all.back() = line.size();
  return all;
}

ControlVolumeGrid control_volume_grid(std::shared_ptr<StructuredMesh const> mesh, Centring centring,
                                      BoundaryConditions const& conditions) {
  ControlVolumeGrid grid{.mesh = std::move(mesh), .centring = centring, .volumes = {}};
  for (int axis = 0; axis < 3; ++axis) {
    grid.volumes[place(axis)] = control_volumes(*grid.mesh, axis, centring, conditions);
  }
  return grid;
}

std::optional<ControlVolumeGrid> coarsened(ControlVolumeGrid const& fine, std::array<Index, 3> const& factor) {
  ControlVolumeGrid coarse{.mesh = nullptr, .centring = Centring::cell, .volumes = {}};
  std::array<std::vector<Index>, 3> starts;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Index> const fine_starts = fine.starts(axis);
    std::vector<Index> first_child;
    for (std::size_t block = 0; block + 1 < fine_starts.size(); ++block) {
      if (fine_starts[block] == fine_starts[block + 1]) return std::nullopt;
      starts[place(axis)].push_back(static_cast<Index>(first_child.size()));
      for (Index child = fine_starts[block]; child < fine_starts[block + 1]; child += factor[place(axis)]) {
        first_child.push_back(child);
      }
    }
    starts[place(axis)].push_back(static_cast<Index>(first_child.size()));
    first_child.push_back(fine_starts.back());
    coarse.volumes[place(axis)] = fine.volumes[place(axis)].merged(first_child);
  }
  Partition const& partition = fine.mesh->partition();
  coarse.mesh = mesh_of(coarse.volumes, Partition(std::move(starts), partition.periodic(), partition.ranks()),
                        fine.dimensions(), fine.mesh->shared_communicator());
  return coarse;
}

ControlVolumeGrid replicated(ControlVolumeGrid const& grid, std::shared_ptr<Communicator> alone) {
  ControlVolumeGrid copy{.mesh = nullptr, .centring = Centring::cell, .volumes = grid.volumes};
  for (ControlVolumes& line : copy.volumes) line.first_entry = 0;
  Extents const cells{copy.volumes[0].size(), copy.volumes[1].size(), copy.volumes[2].size()};
  copy.mesh = mesh_of(copy.volumes, Partition(cells, {1, 1, 1}, grid.mesh->partition().periodic()), grid.dimensions(),
                      std::move(alone));
  return copy;
}

}  // namespace halocline
