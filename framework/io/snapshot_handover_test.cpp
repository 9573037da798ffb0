// Snapshots sent from compute ranks to I/O ranks. read_back_test.py checks the contents of the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/field_values.hpp"
#include "framework/io/served_initial_data.hpp"
#include "framework/io/snapshot_receiver.hpp"
#include "framework/io/snapshot_sender.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/rank_roles.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/shared_folder.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

class Handover : public testing::Test {
 protected:
  /// The largest possible number of I/O ranks.
  [[nodiscard]] int most_io_ranks() const { return ranks->size() / 2; }

  /// Runs `compute` with a sender on the compute ranks, and serves them on the others.
  Verdict run(std::function<void(SnapshotSender&, std::vector<FieldBase const*> const&)> const& compute,
              std::function<void()> const& before_serving = {}) {
    StructuredMeshDescription const description{.axes = {Axis::uniform(37, 0, 1), Axis::uniform(41, 0, 1)}};
    return run_guarded(*ranks, [&] {
      RankRoles const roles(ranks, most_io_ranks());
      if (roles.is_io_rank()) {
        SnapshotReceiver receiver(roles, folder, [&](std::vector<Index> const&) {
          return StructuredMesh::make_for(description, roles.hosts_of_compute_ranks(), roles.servers(),
                                          roles.serving());
        });
        if (before_serving) before_serving();
        receiver.serve([&](Index step, double) { written.push_back(step); });
      } else {
        auto const mesh = StructuredMesh::make(description, roles.computing());
        Field<double> const field(mesh, {.name = "u", .components = 2});
        SnapshotSender sender(roles, mesh, 2);
        compute(sender, {&field});
      }
      return ExitCode::done;
    });
  }

  /// Runs `work` on the compute ranks; the others provide their initial data.
  Verdict run_with_initial_data(
      StructuredMeshDescription const& description,
      std::function<void(std::shared_ptr<StructuredMesh const> const&, ServedInitialData&)> const& work) const {
    return run_guarded(*ranks, [&] {
      RankRoles const roles(ranks, most_io_ranks());
      if (roles.is_io_rank()) {
        serve_initial_data(roles, *StructuredMesh::make_for(description, roles.hosts_of_compute_ranks(),
                                                            roles.servers(), roles.serving()));
      } else {
        ServedInitialData initial_data(roles);
        work(StructuredMesh::make(description, roles.computing()), initial_data);
        initial_data.finish();
      }
      return ExitCode::done;
    });
  }

  std::shared_ptr<Communicator> ranks = std::make_shared<Communicator>(test::communicator().data());
  test::SharedFolder shared;
  fs::path const& folder = shared.path();
  std::vector<Index> written;  ///< steps written, on I/O ranks
};

TEST(SnapshotMessages, AHeaderArrivesAsItWas) {
  namespace messages = snapshot_messages;
  double const awkward = 0.1 + 0.2;
  messages::Header const header{.step = Index{1} << 40,
                                .time = awkward,
                                .blocks = {3, 0},
                                .fields = {{{.name = "Größe \xff",
                                             .unit = "m/s",
                                             .centring = Centring::node,
                                             .components = 3,
                                             .ghosts = 4,
                                             .vector = true,
                                             .position = true},
                                            Precision::single}}};
  messages::Header const there = messages::unpacked(messages::packed(header));
  EXPECT_FALSE(there.last);
  EXPECT_EQ(there.step, header.step);
  EXPECT_EQ(there.time, awkward);
  EXPECT_EQ(there.blocks, header.blocks);
  ASSERT_EQ(there.fields.size(), 1U);
  FieldDescription const& field = there.fields.front().description;
  EXPECT_EQ(field.name, "Größe \xff");
  EXPECT_EQ(field.unit, "m/s");
  EXPECT_EQ(field.centring, Centring::node);
  EXPECT_EQ(field.components, 3);
  EXPECT_EQ(field.ghosts, 4);
  EXPECT_TRUE(field.vector && field.position);
  EXPECT_EQ(there.fields.front().precision, Precision::single);
  EXPECT_TRUE(messages::unpacked(messages::packed({.last = true, .blocks = {}, .fields = {}})).last);
}

TEST_F(Handover, AllIsWrittenInOrderBeforeTheEnd) {
  constexpr Index count = 20;
  Verdict const verdict = run([&](SnapshotSender& sender, std::vector<FieldBase const*> const& fields) {
    for (Index step = 0; step < count; ++step) sender.write(step, 0.5, fields);
    snapshot_messages::Report const report = sender.finish();
    EXPECT_GT(report.writing, 0);
    EXPECT_FALSE(sender.stop_asked());
    for (Index step = 0; step < count; ++step) {
      std::string const name = "snapshot_0000" + std::string(step < 10 ? "0" : "") + std::to_string(step) + ".vti";
      EXPECT_TRUE(fs::exists(folder / name)) << name;
    }
  });
  EXPECT_EQ(verdict.message, "");
  if (written.empty()) return;
  EXPECT_EQ(written.size(), static_cast<std::size_t>(count));
  EXPECT_TRUE(std::is_sorted(written.begin(), written.end()));
}

TEST_F(Handover, IoRanksEvaluateExpressions) {
  StructuredMeshDescription const description{.axes = {Axis::uniform(13, 0, 1), Axis::uniform(9, 0, 2)}};
  Verdict const verdict = run_with_initial_data(description, [&](auto const& mesh, auto& initial_data) {
    // In a different order on each rank.
    for (int repetition = 0; repetition <= ranks->rank(); ++repetition) {
      for (Precision const precision : {Precision::single, Precision::double_}) {
        ExpressionRequest const request{.text = "random(3) + x*y^2 - t",
                                        .time = 0.1 + 0.2,
                                        .centring = Centring::node,
                                        .box = {{-1, -1, 0}, {9, 4, 1}},
                                        .precision = precision};
        std::vector<std::byte> mine(static_cast<std::size_t>(bytes_of(request)));
        std::vector<std::byte> theirs(mine.size());
        evaluate(*mesh, request, mine);
        initial_data.evaluate(request, theirs);
        EXPECT_EQ(mine, theirs);
      }
    }
  });
  EXPECT_EQ(verdict.message, "");
}

/// Writes 8-byte numbers to a file that all ranks see, and describes it as a deck does.
FieldFile write_numbers(Communicator const& ranks, fs::path const& path, std::vector<double> const& numbers,
                        std::vector<std::int64_t> dims) {
  on_first_rank(ranks, [&] {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(numbers.data()), static_cast<std::streamsize>(8 * numbers.size()));
  });
  FieldFile file;
  file.path = path;
  file.format = FieldFile::Format::raw;
  file.type = "float64";
  file.dims = std::move(dims);
  file.interpolate = true;
  file.location = {"deck", 3, 4};
  return file;
}

/// All values of this rank's blocks.
template <class Real>
std::vector<Real> owned_values(Field<Real> const& field) {
  std::vector<Real> all;
  for (Block const& block : field.mesh().blocks()) {
    std::vector<Real> part(static_cast<std::size_t>(field.owned(block).size()));
    field.copy_owned(block, 0, std::as_writable_bytes(std::span(part)));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Forwards and counts requests.
class Counted final : public InitialDataService {
 public:
  explicit Counted(InitialDataService& to) : to_(to) {}
  void evaluate(ExpressionRequest const& request, std::span<std::byte> to) override { to_.evaluate(request, to); }
  BadEntry read(FileEntriesRequest const& request, std::span<double> to) override {
    ++reads;
    return to_.read(request, to);
  }
  int reads = 0;

 private:
  InitialDataService& to_;
};

/// A periodic axis, values on nodes, and entries on the mesh's own grid or on another.
TEST_F(Handover, IoRanksReadFiles) {
  StructuredMeshDescription const description{.axes = {Axis::uniform(13, 0, 1), Axis::uniform(9, 0, 2)},
                                              .periodic = {false, true}};
  for (std::vector<std::int64_t> const& dims : std::vector<std::vector<std::int64_t>>{{14, 9}, {5, 4}}) {
    std::vector<double> numbers(static_cast<std::size_t>(dims[0] * dims[1]));
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = 1 / (1 + static_cast<double>(n));
    FieldFile const file = write_numbers(*ranks, folder / "numbers", numbers, dims);
    Verdict const verdict = run_with_initial_data(description, [&](auto const& mesh, auto& initial_data) {
      Field<float> mine(mesh, {.name = "u", .centring = Centring::node});
      Field<float> theirs(mesh, {.name = "u", .centring = Centring::node});
      fill(FieldSource(file), "a.u", 0, mine);
      Counted counted(initial_data);
      {
        InitialDataFrom const served(&counted);
        fill(FieldSource(file), "a.u", 0, theirs);
        PointValues const values(FieldSource(file), "a.k", mesh, Precision::double_);
        EXPECT_TRUE(std::isfinite(values({0.5, 1, 0})));
      }
      EXPECT_EQ(counted.reads, 2);
      EXPECT_EQ(owned_values(mine), owned_values(theirs));
    });
    EXPECT_EQ(verdict.message, "");
  }
}

StructuredMeshDescription const square{.axes = {Axis::uniform(4, 0, 1), Axis::uniform(4, 0, 1)}};

TEST_F(Handover, AnEntryThatIsNoneIsToldAsWithoutIoRanks) {
  std::vector<double> numbers(16, 1);
  numbers[9] = std::numeric_limits<double>::infinity();
  std::string const path = (folder / "numbers").string();
  FieldFile const file = write_numbers(*ranks, path, numbers, {4, 4});
  Verdict const verdict = run_with_initial_data(square, [&](auto const& mesh, auto& initial_data) {
    Field<double> field(mesh, {.name = "u"});
    InitialDataFrom const served(&initial_data);
    fill(FieldSource(file), "a.u", 0, field);
  });
  EXPECT_EQ(verdict.code, ExitCode::wrong_input);
  EXPECT_EQ(verdict.message,
            "`a.u`: `" + path + "` holds a value that is not finite: entry [2][1] ([y][x]) is inf (deck:3:4)");
}

TEST_F(Handover, AFileThatIsAnotherOneForAnIoRankIsRefused) {
  std::string const path = (folder / "numbers").string();
  FieldFile const file = write_numbers(*ranks, path, std::vector<double>(16, 1), {4, 4});
  Verdict const verdict = run_with_initial_data(square, [&](auto const&, auto& initial_data) {
    std::vector<double> to(1);
    FileEntriesRequest const of_another{file, 1, 2, Centring::cell, {{0, 0, 0}, {1, 1, 1}}, Precision::double_};
    static_cast<void>(initial_data.read(of_another, to));
  });
  EXPECT_EQ(verdict.code, ExitCode::wrong_input);
  EXPECT_EQ(verdict.message, "`" + path + "` is not the same file on all ranks; check its path on each host");
}

TEST_F(Handover, WhatCannotBeWrittenIsTheErrorOfAll) {
  std::unique_ptr<test::FileSizeLimit> limit;
  Verdict const verdict = run(
      [](SnapshotSender& sender, std::vector<FieldBase const*> const& fields) {
        for (Index step = 0; step < 1000; ++step) sender.write(step, 0, fields);
        static_cast<void>(sender.finish());
      },
      [&] { limit = std::make_unique<test::FileSizeLimit>(2000); });
  limit.reset();
  EXPECT_EQ(verdict.code, ExitCode::input_output);
  EXPECT_EQ(verdict.origin, ranks->size() - most_io_ranks());
  EXPECT_EQ(verdict.message, "cannot write " + (folder / "mesh.h5").string() + ": File too large");
  EXPECT_FALSE(verdict.unreachable);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Handover, AComputeRankThatFailsEndsIoRanks) {
  Verdict const verdict = run([&](SnapshotSender& sender, std::vector<FieldBase const*> const& fields) {
    sender.write(0, 0, fields);
    if (ranks->rank() == 0) throw SolveError("no more");
    static_cast<void>(sender.finish());
  });
  EXPECT_EQ(verdict.code, ExitCode::unsolved);
  EXPECT_EQ(verdict.message, "no more");
  EXPECT_FALSE(verdict.unreachable);
}

}  // namespace
}  // namespace halocline
