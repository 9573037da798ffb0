// Writes snapshots of known values for read_back_test.py: snapshot_cases [--several-hosts] [--io-ranks N] FOLDER
// With --several-hosts each rank simulates a host of its own, so that files are shared through MPI-IO; with --io-ranks
// the last N ranks write the snapshots of the others.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/snapshot_receiver.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace {

using namespace halocline;

/// Representable in single precision, different for every entry and component.
double value_at(Index i, Index j, Index k, int component) {
  return 0.25 + static_cast<double>(i + 20 * j + 400 * k + 10000 * component);
}

template <class Real>
std::unique_ptr<FieldBase> field(std::shared_ptr<Mesh const> const& mesh, FieldDescription const& description) {
  auto made = std::make_unique<Field<Real>>(mesh, description);
  for (Block const& block : mesh->blocks()) {
    IndexRange const owned = mesh->global_owned(block.id, description.centring);
    for (int c = 0; c < description.components; ++c) {
      std::vector<Real> values;
      for (Index k = owned.begin[2]; k < owned.end[2]; ++k) {
        for (Index j = owned.begin[1]; j < owned.end[1]; ++j) {
          for (Index i = owned.begin[0]; i < owned.end[0]; ++i)
            values.push_back(static_cast<Real>(value_at(i, j, k, c)));
        }
      }
      made->set_owned(block, c, std::as_bytes(std::span(values)));
    }
  }
  return made;
}

using Fields = std::vector<std::unique_ptr<FieldBase>>;

/// Writes two snapshots. `mesh` and `fields` are those of a compute rank.
void write_case(std::filesystem::path const& folder, RankRoles const& roles, ServedMesh const& served,
                std::shared_ptr<Mesh const> const& mesh, Fields const& fields) {
  if (roles.is_io_rank()) {
    SnapshotReceiver(roles, folder, served).serve();
    return;
  }
  std::vector<FieldBase const*> all;
  for (auto const& one : fields) all.push_back(one.get());
  auto const write_with = [&](auto& writer) {
    writer.write(0, 0.0, all);
    writer.write(10, 0.125, all);
  };
  if (roles.io_ranks() > 0) {
    SnapshotSender sender(roles, mesh, 1);
    write_with(sender);
    static_cast<void>(sender.finish());
  } else {
    SnapshotWriter writer(folder, mesh);
    write_with(writer);
  }
}

void write_points(std::filesystem::path const& folder, Index count, RankRoles const& roles) {
  std::filesystem::create_directories(folder);
  std::shared_ptr<Mesh const> points;
  Fields fields;
  if (!roles.is_io_rank()) {
    points = std::make_shared<PointSet const>(count, roles.computing());
    fields.push_back(field<float>(points, {.name = "position", .components = 3, .ghosts = 0, .position = true}));
    fields.push_back(field<double>(points, {.name = "velocity", .unit = "m/s", .components = 3, .ghosts = 0}));
    fields.push_back(field<float>(points, {.name = "mass", .unit = "kg", .ghosts = 0}));
  }
  ServedMesh const served = [&](std::vector<Index> const& blocks) {
    std::vector<std::shared_ptr<BlockExecution const>> const executions(blocks.size());
    return std::make_shared<PointSet const>(count, roles.serving(), executions);
  };
  write_case(folder, roles, served, points, fields);
}

void write_grid(std::filesystem::path const& folder, StructuredMeshDescription const& description,
                RankRoles const& roles) {
  std::filesystem::create_directories(folder);
  std::shared_ptr<Mesh const> mesh;
  Fields fields;
  if (!roles.is_io_rank()) {
    mesh = StructuredMesh::make(description, roles.computing());
    fields.push_back(field<double>(mesh, {.name = "u", .unit = "K"}));
    fields.push_back(field<float>(mesh, {.name = "t", .centring = Centring::node, .ghosts = 2}));
    fields.push_back(field<double>(mesh, {.name = "velocity", .unit = "m/s", .components = 3}));
    fields.push_back(field<float>(mesh, {.name = "pair", .centring = Centring::node, .components = 2}));
  }
  ServedMesh const served = [&](std::vector<Index> const&) {
    return StructuredMesh::make_for(description, roles.hosts_of_compute_ranks(), roles.servers(), roles.serving());
  };
  write_case(folder, roles, served, mesh, fields);
}

}  // namespace

int main(int argc, char** argv) {
  Environment const environment;
  std::vector<int> hosts;
  int io_ranks = 0;
  for (int n = 1; n < argc - 1; ++n) {
    if (std::string(argv[n]) == "--io-ranks") io_ranks = std::stoi(argv[n + 1]);
    if (std::string(argv[n]) != "--several-hosts") continue;
    hosts.resize(static_cast<std::size_t>(Communicator(MPI_COMM_WORLD).size()));
    std::iota(hosts.begin(), hosts.end(), 0);
  }
  auto const ranks = std::make_shared<Communicator>(MPI_COMM_WORLD, hosts);
  std::filesystem::path const folder = argv[argc - 1];
  Axis const five = Axis::uniform(5, 0, 10);
  Axis const seven = Axis::uniform(7, -1, 2.5);
  Axis const stretched = Axis::stretched({0, 1, 3, 6, 10});
  Verdict const verdict = run_guarded(*ranks, [&] {
    RankRoles const roles(ranks, io_ranks);
    write_grid(folder / "line", {.axes = {Axis::uniform(11, 0, 1)}, .periodic = {true, false, false}}, roles);
    write_grid(folder / "plane", {.axes = {seven, five}}, roles);
    write_grid(folder / "stretched", {.axes = {stretched, seven, five}, .periodic = {false, true, false}}, roles);
    write_grid(folder / "periodic", {.axes = {seven, five, Axis::uniform(6, 0, 1)}, .periodic = {true, true, true}},
               roles);
    write_grid(folder / "stretched_plane", {.axes = {stretched, stretched}, .periodic = {true, false, false}}, roles);
    write_points(folder / "points", 41, roles);
    write_points(folder / "few_points", 2, roles);
    return ExitCode::done;
  });
  if (ranks->rank() == 0) std::fputs(verdict.message.c_str(), stderr);
  return static_cast<int>(verdict.code);
}
