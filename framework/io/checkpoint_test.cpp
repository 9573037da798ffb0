#include "framework/io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/checkpoint_writer.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/shared_folder.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<StructuredMesh const> mesh_of(Extents const& cells, int dimensions,
                                              std::shared_ptr<Communicator> const& ranks, int blocks = 1) {
  StructuredMeshDescription description{.axes = {}, .periodic = {true, false, false}, .blocks_per_rank = blocks};
  for (int axis = 0; axis < dimensions; ++axis)
    description.axes.push_back(Axis::uniform(cells[static_cast<std::size_t>(axis)], 0, 1));
  return StructuredMesh::make(description, ranks);
}

/// Unique among the entries of the field.
double value_at(Index i, Index j, Index k, int component) {
  return 1 + static_cast<double>(i) + 100 * static_cast<double>(j) + 1e4 * static_cast<double>(k) + 1e6 * component;
}

/// Sets the owned entries of a field, or counts those that differ from the set values.
template <class Real>
Index visit(Field<Real>& field, bool sets) {
  Index wrong = 0;
  for (Block const& block : field.mesh().blocks()) {
    IndexRange const place = field.mesh().global_owned(block.id, field.centring());
    for (int c = 0; c < field.components(); ++c) {
      std::vector<Real> values(static_cast<std::size_t>(place.size()));
      if (!sets) field.copy_owned(block, c, std::as_writable_bytes(std::span(values)));
      std::size_t n = 0;
      for (Index k = place.begin[2]; k < place.end[2]; ++k) {
        for (Index j = place.begin[1]; j < place.end[1]; ++j) {
          for (Index i = place.begin[0]; i < place.end[0]; ++i, ++n) {
            auto const wanted = static_cast<Real>(value_at(i, j, k, c));
            if (sets) values[n] = wanted;
            if (values[n] != wanted) ++wrong;
          }
        }
      }
      if (sets) field.set_owned(block, c, std::as_bytes(std::span(values)));
    }
  }
  return field.mesh().communicator().sum(wrong);
}

/// A state with fields and numbers of every kind.
struct State {
  explicit State(std::shared_ptr<Mesh const> const& mesh)
      : cells(mesh, {.name = "u"}),
        nodes(mesh, {.name = "v", .centring = Centring::node, .components = 2, .ghosts = 3}),
        faces(mesh, {.name = "w", .centring = Centring::face_x}) {}

  void set() {
    visit(cells, true);
    visit(nodes, true);
    visit(faces, true);
    time = 0.1;
    step = std::numeric_limits<double>::infinity();
    error = std::numeric_limits<double>::quiet_NaN();
    count = std::int64_t{1} << 40;
    flag = true;
  }
  void serialize(StateArchive& state) {
    state.field("u", cells);
    state.field("group/v", nodes);
    state.field("w", faces);
    state.number("time", time);
    state.number("step", step);
    state.number("error", error);
    state.count("count", count);
    state.flag("flag", flag);
  }
  void expect_set() {
    EXPECT_EQ(visit(cells, false), 0);
    EXPECT_EQ(visit(nodes, false), 0);
    EXPECT_EQ(visit(faces, false), 0);
    EXPECT_EQ(time, 0.1);
    EXPECT_EQ(step, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(error));
    EXPECT_EQ(count, std::int64_t{1} << 40);
    EXPECT_TRUE(flag);
  }

  Field<double> cells;
  Field<float> nodes;
  Field<double> faces;
  double time = 0;
  double step = 0;
  double error = 0;
  std::int64_t count = 0;
  bool flag = false;
};

class Checkpoints : public testing::Test {
 protected:
  /// Writes a checkpoint of `state` and waits until it is complete.
  void write(State& state, std::shared_ptr<Mesh const> const& mesh, Index step = 7, int keep = 1) const {
    CheckpointWriter writer(folder, mesh, keep);
    writer.begin(
        step, 0.5, [&](StateArchive& archive) { state.serialize(archive); }, R"({"kept": [1, 2]})");
    EXPECT_TRUE(writer.is_under_way());
    writer.finish();
    EXPECT_FALSE(writer.is_under_way());
  }

  std::shared_ptr<Communicator> ranks = std::make_shared<Communicator>(test::communicator().data());
  test::SharedFolder shared;
  fs::path const& folder = shared.path();
};

TEST_F(Checkpoints, AreReadAsTheyWereWritten) {
  std::vector<std::pair<Extents, int>> const sizes{{{1009, 1, 1}, 1}, {{31, 17, 1}, 2}, {{8, 5, 7}, 3}};
  Index step = 0;
  for (auto const& [cells, dimensions] : sizes) {
    auto const mesh = mesh_of(cells, dimensions, ranks);
    State state(mesh);
    state.set();
    write(state, mesh, ++step);
    fs::path const path = folder / checkpoint_name(step);
    Checkpoint const checkpoint = read_manifest(path);
    EXPECT_EQ(checkpoint.step, step);
    EXPECT_EQ(checkpoint.time, 0.5);
    EXPECT_EQ(checkpoint.run, R"({"kept":[1,2]})");
    for (StateFile const& file : checkpoint.files) EXPECT_EQ(damage_of(path, file), "");
    State again(mesh);
    CheckpointReader reader(path, checkpoint);
    EXPECT_TRUE(reader.has("group"));
    EXPECT_FALSE(reader.has("grou"));
    again.serialize(reader);
    again.expect_set();
  }
}

TEST_F(Checkpoints, AreReadOnOtherRanksAndBlocks) {
  auto const mesh = mesh_of({13, 11, 5}, 3, ranks, 2);
  State state(mesh);
  state.set();
  write(state, mesh);
  fs::path const path = folder / checkpoint_name(7);
  Checkpoint const checkpoint = read_manifest(path);
  // Rank 0 alone, and the others without it.
  std::shared_ptr<Communicator> const part = ranks->split(ranks->rank() == 0 ? 0 : 1);
  for (int const blocks : {1, 3}) {
    State again(mesh_of({13, 11, 5}, 3, part, blocks));
    CheckpointReader reader(path, checkpoint);
    again.serialize(reader);
    again.expect_set();
  }
}

TEST_F(Checkpoints, OfPoints) {
  // Fewer points than blocks, and more.
  for (Index const count : {1, 3, 17}) {
    auto const points = std::make_shared<PointSet const>(count, ranks);
    State state(points);
    state.set();
    write(state, points, count);
    fs::path const path = folder / checkpoint_name(count);
    Checkpoint const checkpoint = read_manifest(path);
    std::shared_ptr<Communicator> const part = ranks->split(ranks->rank() == 0 ? 0 : 1);
    State again(std::make_shared<PointSet const>(count, part));
    CheckpointReader reader(path, checkpoint);
    again.serialize(reader);
    again.expect_set();
  }
}

TEST_F(Checkpoints, TheNewestFewAreKept) {
  auto const mesh = mesh_of({9, 8, 1}, 2, ranks);
  State state(mesh);
  CheckpointWriter writer(folder, mesh, 2);
  for (Index const step : {5, 10, 999999, 1000000}) {
    writer.begin(
        step, 0, [&](StateArchive& archive) { state.serialize(archive); }, "{}");
    writer.finish();
  }
  ranks->barrier();
  std::vector<fs::path> const left = checkpoints_in(folder);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].filename(), "checkpoint_1000000");
  EXPECT_EQ(left[1].filename(), "checkpoint_999999");
}

TEST_F(Checkpoints, WhatDoesNotFitIsRefused) {
  auto const mesh = mesh_of({9, 8, 1}, 2, ranks);
  State state(mesh);
  state.set();
  write(state, mesh);
  fs::path const path = folder / checkpoint_name(7);
  Checkpoint const checkpoint = read_manifest(path);
  CheckpointReader reader(path, checkpoint);
  auto const refusal = [](auto const& read) {
    try {
      read();
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  double number = 0;
  EXPECT_NE(refusal([&] { reader.number("pressure", number); }).find("no value `pressure`"), std::string::npos);
  EXPECT_NE(refusal([&] { reader.field("q", state.cells); }).find("no field `q`"), std::string::npos);
  EXPECT_NE(refusal([&] { reader.field("group/v", state.cells); }).find("entries"), std::string::npos);
  Field<float> single(mesh, {.name = "u"});
  EXPECT_NE(refusal([&] { reader.field("u", single); }).find("another precision"), std::string::npos);
  Field<double> other(mesh_of({9, 9, 1}, 2, ranks), {.name = "u"});
  EXPECT_NE(refusal([&] { reader.field("u", other); }).find("9 x 8 x 1 entries, but that of the run has 9 x 9 x 1"),
            std::string::npos);
}

std::string text_of(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put(fs::path const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }

/// A manifest with any one bit flipped must have the same contents (if the bit is in white space) or be refused.
TEST_F(Checkpoints, AFlippedBitOfAManifestIsSeen) {
  auto const mesh = mesh_of({4, 4, 1}, 2, ranks);
  State state(mesh);
  state.set();
  write(state, mesh);
  on_first_rank(*ranks, [&] {
    fs::path const path = folder / checkpoint_name(7);
    std::string const whole = text_of(path / manifest_name);
    Index refused = 0;
    for (std::size_t byte = 0; byte < whole.size(); ++byte) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
      put(path / manifest_name, damaged);
      try {
        Checkpoint const read = read_manifest(path);
        EXPECT_EQ(read.time, 0.5) << byte;
        EXPECT_EQ(read.files.front().checksum.size(), 32U) << byte;
      } catch (InputOutputError const&) {
        ++refused;
      }
    }
    // Most of it is not white space.
    EXPECT_GT(refused, static_cast<Index>(whole.size() / 2));
    put(path / manifest_name, whole.substr(0, whole.size() / 2));
    EXPECT_THROW(static_cast<void>(read_manifest(path)), InputOutputError);
  });
}

TEST_F(Checkpoints, AnotherFormatIsRefusedByName) {
  on_first_rank(*ranks, [&] {
    fs::path const path = folder / checkpoint_name(3);
    fs::create_directory(path);
    put(path / manifest_name, R"({"halocline checkpoint format": 2})");
    try {
      static_cast<void>(read_manifest(path));
      FAIL() << "it was read";
    } catch (InputOutputError const& error) {
      EXPECT_NE(std::string(error.what()).find("is of format 2, and this program"), std::string::npos) << error.what();
    }
  });
}

TEST_F(Checkpoints, AFlippedBitOfAStateIsSeen) {
  auto const mesh = mesh_of({16, 16, 1}, 2, ranks);
  State state(mesh);
  state.set();
  write(state, mesh);
  on_first_rank(*ranks, [&] {
    fs::path const path = folder / checkpoint_name(7);
    StateFile const file = read_manifest(path).files.front();
    std::string const whole = text_of(path / file.name);
    for (std::size_t byte = 0; byte < whole.size(); byte += 101) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
      put(path / file.name, damaged);
      EXPECT_NE(damage_of(path, file).find("its checksum differs"), std::string::npos) << byte;
    }
    put(path / file.name, whole.substr(0, whole.size() - 1));
    EXPECT_NE(damage_of(path, file).find("bytes instead of the"), std::string::npos);
    fs::remove(path / file.name);
    EXPECT_NE(damage_of(path, file).find("cannot read"), std::string::npos);
  });
}

}  // namespace
}  // namespace halocline
