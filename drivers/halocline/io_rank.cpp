#include "drivers/halocline/io_rank.hpp"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/io/served_initial_data.hpp"
#include "framework/io/snapshot_receiver.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/mesh/point_set.hpp"

namespace halocline {
namespace {

std::shared_ptr<Mesh const> points_served(Index points, RankRoles const& roles, std::vector<Index> const& blocks) {
  auto const count = std::accumulate(blocks.begin(), blocks.end(), Index{0});
  std::vector<std::shared_ptr<BlockExecution const>> const executions(static_cast<std::size_t>(count));
  return std::make_shared<PointSet const>(points, roles.serving(), executions);
}

}  // namespace

ExitCode serve(Options const& deck, PhysicsEntry const& entry, RankRoles const& roles,
               std::filesystem::path const& folder, std::vector<WrittenSnapshot> earlier) {
  std::shared_ptr<StructuredMesh const> mesh;
  if (!entry.points) {
    mesh = make_served_mesh(deck.section("mesh"), roles.hosts_of_compute_ranks(), roles.servers(), roles.serving());
    serve_initial_data(roles, *mesh);
  }
  std::unique_ptr<AbruptSummary> const summary = join_abrupt_end(roles.all(), folder);
  auto const make_mesh = [&](std::vector<Index> const& blocks) {
    return mesh ? std::shared_ptr<Mesh const>(mesh) : points_served(entry.points(deck), roles, blocks);
  };
  SnapshotReceiver receiver(roles, folder, make_mesh, std::move(earlier));
  receiver.serve([&](Index step, double time) { summary->set_state(step, time); });
  return ExitCode::done;
}

}  // namespace halocline
