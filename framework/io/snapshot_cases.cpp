// Writes snapshots of known values for read_back_test.py: snapshot_cases [--several-hosts] FOLDER
// With --several-hosts each rank simulates a host of its own, so that files are shared through MPI-IO.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/guard.hpp"

namespace {

using namespace halocline;

/// Exact in single precision, different for every entry and component.
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

void write_fields(std::filesystem::path const& folder, std::shared_ptr<Mesh const> const& mesh,
                  std::vector<std::unique_ptr<FieldBase>> const& fields) {
  std::vector<FieldBase const*> all;
  for (auto const& one : fields) all.push_back(one.get());
  SnapshotWriter writer(folder, mesh);
  writer.write(0, 0.0, all);
  writer.write(10, 0.125, all);
}

void write_points(std::filesystem::path const& folder, Index count, std::shared_ptr<Communicator> const& ranks) {
  std::filesystem::create_directories(folder);
  auto const points = std::make_shared<PointSet const>(count, ranks);
  std::vector<std::unique_ptr<FieldBase>> fields;
  fields.push_back(field<float>(points, {.name = "position", .components = 3, .ghosts = 0, .position = true}));
  fields.push_back(field<double>(points, {.name = "velocity", .unit = "m/s", .components = 3, .ghosts = 0}));
  fields.push_back(field<float>(points, {.name = "mass", .unit = "kg", .ghosts = 0}));
  write_fields(folder, points, fields);
}

void write_case(std::filesystem::path const& folder, StructuredMeshDescription const& description,
                std::shared_ptr<Communicator> const& ranks) {
  std::filesystem::create_directories(folder);
  auto const mesh = StructuredMesh::make(description, ranks);
  std::vector<std::unique_ptr<FieldBase>> fields;
  fields.push_back(field<double>(mesh, {.name = "u", .unit = "K"}));
  fields.push_back(field<float>(mesh, {.name = "t", .centring = Centring::node, .ghosts = 2}));
  fields.push_back(field<double>(mesh, {.name = "velocity", .unit = "m/s", .components = 3}));
  fields.push_back(field<float>(mesh, {.name = "pair", .centring = Centring::node, .components = 2}));
  write_fields(folder, mesh, fields);
}

}  // namespace

int main(int argc, char** argv) {
  Environment const environment;
  std::vector<int> hosts;
  if (std::string(argv[1]) == "--several-hosts") {
    hosts.resize(static_cast<std::size_t>(Communicator(MPI_COMM_WORLD).size()));
    std::iota(hosts.begin(), hosts.end(), 0);
  }
  auto const ranks = std::make_shared<Communicator>(MPI_COMM_WORLD, hosts);
  std::filesystem::path const folder = argv[argc - 1];
  Axis const five = Axis::uniform(5, 0, 10);
  Axis const seven = Axis::uniform(7, -1, 2.5);
  Axis const stretched = Axis::stretched({0, 1, 3, 6, 10});
  Verdict const verdict = run_guarded(*ranks, [&] {
    write_case(folder / "line", {.axes = {Axis::uniform(11, 0, 1)}, .periodic = {true, false, false}}, ranks);
    write_case(folder / "plane", {.axes = {seven, five}}, ranks);
    write_case(folder / "stretched", {.axes = {stretched, seven, five}, .periodic = {false, true, false}}, ranks);
    write_case(folder / "periodic", {.axes = {seven, five, Axis::uniform(6, 0, 1)}, .periodic = {true, true, true}},
               ranks);
    write_case(folder / "stretched_plane", {.axes = {stretched, stretched}, .periodic = {true, false, false}}, ranks);
    write_points(folder / "points", 41, ranks);
    write_points(folder / "few_points", 2, ranks);
    return ExitCode::done;
  });
  if (ranks->rank() == 0) std::fputs(verdict.message.c_str(), stderr);
  return static_cast<int>(verdict.code);
}
