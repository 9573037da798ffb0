#include "drivers/halocline/set_up_log.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/placement.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

/// "7 to 8": cells of the blocks along an axis.
std::string cells_along(Partition const& partition, int axis) {
  std::vector<Index> const& starts = partition.starts(axis);
  Index least = starts.back();
  Index most = 0;
  for (std::size_t block = 1; block < starts.size(); ++block) {
    Index const cells = starts[block] - starts[block - 1];
    least = std::min(least, cells);
    most = std::max(most, cells);
  }
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

/// The blocks of each host, in the order of their ids.
std::vector<std::vector<Index>> blocks_by_host(Partition const& partition, Communicator const& communicator) {
  std::vector<std::vector<Index>> blocks(static_cast<std::size_t>(communicator.hosts()));
  for (Index block = 0; block < partition.blocks(); ++block) {
    blocks[static_cast<std::size_t>(communicator.host_of(partition.rank(block)))].push_back(block);
  }
  return blocks;
}

void log_points(PointSet const& points) {
  for (Index block = 0; block < points.block_count(); ++block) {
    log_debug(fmt::format("block {} of rank {} has {} points", block, points.rank_of(block), points.points_of(block)));
  }
}

void log_grid(StructuredMesh const& mesh) {
  Partition const& partition = mesh.partition();
  log_debug(fmt::format("process grid {}, blocks of {} x {} x {} cells", fmt::join(partition.grid(), " x "),
                        cells_along(partition, 0), cells_along(partition, 1), cells_along(partition, 2)));
  std::vector<std::vector<Index>> const blocks = blocks_by_host(partition, mesh.communicator());
  for (std::size_t host = 0; host < blocks.size(); ++host) {
    log_debug(fmt::format("host {} has blocks {}", host, fmt::join(blocks[host], ", ")));
  }
}

}  // namespace

void log_set_up(Mesh const& mesh) {
  Communicator const& communicator = mesh.communicator();
  std::vector<Placement> const placements = find_placements(communicator);
  for (std::string const& shared : shared_hardware(placements)) log_warning(shared);
  if (!logs(LogLevel::debug)) return;
  for (std::size_t rank = 0; rank < placements.size(); ++rank) {
    log_debug(fmt::format("rank {}: {}", rank, describe(placements[rank])));
  }
  log_debug(fmt::format("backend {} on {}, {} threads a rank", backend_name, backend_hardware(), host_threads()));
  if (PointSet const* const points = as_points(mesh)) {
    log_points(*points);
  } else {
    log_grid(structured(mesh));
  }
}

void log_transport(HaloRecord const& halo) {
  if (!logs(LogLevel::debug)) return;
  log_debug("halo transport: " + halo.transport);
  for (TransportMeasurement const& measurement : halo.measured) {
    std::vector<std::string> times;
    for (NamedValue const& seconds : measurement.seconds) {
      times.push_back(fmt::format("{} {:.1f} us", seconds.name, 1e6 * seconds.value));
    }
    log_debug(fmt::format("halos of {} bytes to {}: {}; chosen: {}", measurement.bytes,
                          measurement.across_hosts ? "other hosts" : "ranks of this host", fmt::join(times, ", "),
                          measurement.chosen));
  }
  for (std::string const& left_out : halo.left_out) log_debug("halo transport not used: " + left_out);
}

}  // namespace halocline
