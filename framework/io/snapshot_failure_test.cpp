#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/throw_site.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/shared_folder.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;

/// One rank cannot write its part of a snapshot; the others can.
class FailingSnapshot : public testing::Test {
 protected:
  ~FailingSnapshot() override { unsetenv("HALOCLINE_THROW_AT"); }

  /// Writes a snapshot (step 3) under the guard, after `before` on every rank.
  Verdict write_after(std::function<void()> const& before) {
    return run_guarded(*ranks, [&] {
      auto const mesh = StructuredMesh::make({.axes = {Axis::uniform(37, 0, 1), Axis::uniform(41, 0, 1)}}, ranks);
      Field<double> const field(mesh, {.name = "u"});
      SnapshotWriter writer(folder, mesh);
      before();
      FieldBase const* const fields[] = {&field};
      writer.write(3, 0.5, fields);
      return ExitCode::done;
    });
  }

  /// Expects one message, exit code 4, and nothing of the snapshot in the folder.
  void expect_failure(Verdict const& verdict, int origin, std::string const& reason) {
    EXPECT_EQ(verdict.code, ExitCode::input_output);
    EXPECT_EQ(verdict.origin, origin);
    EXPECT_EQ(verdict.message, reason);
    EXPECT_FALSE(verdict.unreachable);
    test::communicator().barrier();
    std::vector<std::string> names;
    for (auto const& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"mesh.h5"});
    test::communicator().barrier();
  }

  /// Simulates a host for each rank, so that the file is shared through MPI-IO.
  void use_one_host_per_rank() {
    std::vector<int> hosts(static_cast<std::size_t>(ranks->size()));
    std::iota(hosts.begin(), hosts.end(), 0);
    ranks = std::make_shared<Communicator>(test::communicator().data(), hosts);
  }

  void fail_on_the_last_rank() {
    int const last = ranks->size() - 1;
    std::unique_ptr<FileSizeLimit> limit;
    Verdict const verdict = write_after([&] {
      if (ranks->rank() == last) limit = std::make_unique<FileSizeLimit>(5000);
    });
    limit.reset();
    expect_failure(verdict, last, "cannot write " + (folder / "snapshot_000003.vti").string() + ": File too large");
  }

  std::shared_ptr<Communicator> ranks = std::make_shared<Communicator>(test::communicator().data());
  test::SharedFolder shared;
  fs::path const& folder = shared.path();
};

TEST_F(FailingSnapshot, WithoutFailureItIsThere) {
  EXPECT_EQ(write_after([] {}).code, ExitCode::done);
  EXPECT_TRUE(fs::exists(folder / "snapshot_000003.vti"));
  EXPECT_FALSE(fs::exists(folder / "snapshot_000003.vti.partial"));
  test::communicator().barrier();
}

TEST_F(FailingSnapshot, ArmedOnEachRank) {
  for (int rank = 0; rank < ranks->size(); ++rank) {
    std::string const setting = "hdf5_write:" + std::to_string(rank) + ":2";  // the first pass writes the mesh
    setenv("HALOCLINE_THROW_AT", setting.c_str(), 1);
    expect_failure(write_after([] {}), rank, "armed to fail at hdf5_write");
    ranks = std::make_shared<Communicator>(test::communicator().data());
  }
}

TEST_F(FailingSnapshot, FileSizeLimitOnTheLastRank) { fail_on_the_last_rank(); }

TEST_F(FailingSnapshot, FileSizeLimitOnTheLastRankOfSeveralHosts) {
  use_one_host_per_rank();
  fail_on_the_last_rank();
}

TEST_F(FailingSnapshot, TheFolderIsGone) {
  Verdict const verdict = write_after([&] {
    ranks->barrier();
    if (ranks->rank() == 0) fs::rename(folder, folder.string() + ".gone");
  });
  if (ranks->rank() == 0) fs::rename(folder.string() + ".gone", folder);
  test::communicator().barrier();
  expect_failure(verdict, 0,
                 "cannot write " + (folder / "snapshot_000003.vti").string() + ": No such file or directory");
}

TEST_F(FailingSnapshot, FieldsItCannotHold) {
  auto const mesh = StructuredMesh::make({.axes = {Axis::uniform(6, 0, 1)}}, ranks);
  auto const other = StructuredMesh::make({.axes = {Axis::uniform(6, 0, 1)}}, ranks);
  Field<double> const on_faces(mesh, {.name = "flux", .centring = Centring::face_x});
  Field<double> const elsewhere(other, {.name = "u"});
  SnapshotWriter writer(folder, mesh);
  FieldBase const* fields[] = {&elsewhere};
  try {
    writer.write(0, 0, fields);
    ADD_FAILURE();
  } catch (DefectError const& error) {
    EXPECT_STREQ(error.what(), "field u is not on the snapshot's mesh");
  }
  fields[0] = &on_faces;
  try {
    writer.write(0, 0, fields);
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_STREQ(error.what(), "field flux lives on faces; snapshots hold fields on cells and nodes");
    EXPECT_EQ(error.exit_code(), ExitCode::defect);
  }
}

}  // namespace
}  // namespace halocline
