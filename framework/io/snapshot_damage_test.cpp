#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/place_checksums.hpp"
#include "framework/io/snapshot_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/shared_folder.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(double number) { return {reinterpret_cast<char const*>(&number), sizeof(number)}; }

/// Everything that is read from a snapshot.
struct Contents {
  Index step = 0;
  double time = 0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> numbers;
  friend bool operator==(Contents const&, Contents const&) = default;
};

Contents contents_of(SnapshotFile const& file) {
  Contents found{file.step(), file.time(), {}, {}};
  for (SnapshotEntry const& field : file.fields()) {
    Index count = field.components;
    for (Index const extent : field.extents) count *= extent;
    found.names.push_back(field.dataset + std::to_string(field.extents[0]));
    file.read(field, 0, count, found.numbers.emplace_back());
  }
  return found;
}

template <class Real>
void fill(Field<Real>& field) {
  for (Block const& block : field.mesh().blocks()) {
    std::vector<Real> values(static_cast<std::size_t>(field.owned(block).size()));
    for (int c = 0; c < field.components(); ++c) {
      for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] =
            static_cast<Real>(0.3 + static_cast<double>(n) / 7 + 100 * c + 1000 * static_cast<double>(block.id));
      }
      field.set_owned(block, c, std::as_bytes(std::span(values)));
    }
  }
}

/// Snapshots of two meshes and of points, written by all ranks.
class Damage : public testing::Test {
 protected:
  void write(std::shared_ptr<Mesh const> const& mesh, std::vector<FieldBase const*> const& fields) {
    SnapshotWriter(folder, mesh).write(7, 0.1, fields);
    path = folder / snapshot_name(*mesh, 7);
  }

  /// Flips one bit in some bytes of the file: its contents must be unchanged, or damage must be reported.
  void expect_that_damage_is_told(Index stride) {
    on_first_rank(*ranks, [&] {
      SnapshotFile const whole(path);
      Contents const expected = contents_of(whole);
      EXPECT_EQ(whole.damage(), std::vector<std::string>{});
      std::ifstream from(path, std::ios::binary);
      std::string const bytes{std::istreambuf_iterator<char>(from), {}};
      fs::path const other = folder / "other";
      Index told = 0;
      for (std::size_t place = 0; place < bytes.size(); place += static_cast<std::size_t>(stride)) {
        std::string flipped = bytes;
        flipped[place] = static_cast<char>(flipped[place] ^ (1 << (place % 8)));
        std::ofstream(other, std::ios::binary) << flipped;
        try {
          SnapshotFile const damaged(other);
          if (!damaged.damage().empty()) {
            ++told;
          } else {
            EXPECT_EQ(contents_of(damaged), expected) << "byte " << place;
          }
        } catch (InputOutputError const&) {
          ++told;
        }
      }
      EXPECT_GT(told, 0);
    });
  }

  std::shared_ptr<Communicator> ranks = std::make_shared<Communicator>(test::communicator().data());
  test::SharedFolder shared;
  fs::path const& folder = shared.path();
  fs::path path;
};

TEST_F(Damage, OfAUniformMesh) {
  auto const mesh = StructuredMesh::make(
      {.axes = {Axis::uniform(11, 0, 1), Axis::uniform(5, 0, 1), Axis::uniform(4, 0, 1)}, .periodic = {true}}, ranks);
  Field<double> u(mesh, {.name = "u"});
  Field<float> pair(mesh, {.name = "pair", .centring = Centring::node, .components = 2});
  fill(u);
  fill(pair);
  write(mesh, {&u, &pair});
  expect_that_damage_is_told(37);
}

TEST_F(Damage, OfAStretchedMesh) {
  auto const mesh = StructuredMesh::make({.axes = {Axis::stretched({0, 1, 3, 6, 10}), Axis::uniform(9, 0, 1)}}, ranks);
  Field<float> u(mesh, {.name = "u"});
  fill(u);
  write(mesh, {&u});
  expect_that_damage_is_told(37);
}

TEST_F(Damage, OfPoints) {
  auto const mesh = std::make_shared<PointSet const>(50, ranks);
  Field<double> position(mesh, {.name = "position", .components = 3, .ghosts = 0, .position = true});
  Field<float> mass(mesh, {.name = "mass", .ghosts = 0});
  fill(position);
  fill(mass);
  write(mesh, {&position, &mass});
  expect_that_damage_is_told(37);
}

TEST_F(Damage, OfTheHeaderForVtk) {
  auto const mesh = StructuredMesh::make({.axes = {Axis::uniform(8, 0, 1)}}, ranks);
  Field<float> u(mesh, {.name = "u"});
  fill(u);
  write(mesh, {&u});
  on_first_rank(*ranks, [&] {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(100);
    file.put('#');
    file.close();
    EXPECT_EQ(SnapshotFile(path).damage(), std::vector<std::string>{"the header for VTK does not match its checksum"});
  });
}

TEST_F(Damage, PartsAreThoseOfTheWhole) {
  auto const mesh =
      StructuredMesh::make({.axes = {Axis::uniform(7, 0, 1), Axis::uniform(5, 0, 1), Axis::uniform(4, 0, 1)}}, ranks);
  Field<double> u(mesh, {.name = "u", .components = 3});
  fill(u);
  write(mesh, {&u});
  on_first_rank(*ranks, [&] {
    SnapshotFile const file(path);
    SnapshotEntry const& field = file.fields().front();
    std::vector<double> whole;
    file.read(field, 0, 420, whole);
    for (Index first = 0; first < 420; first += 11) {
      for (Index const count : {1, 2, 20, 21, 22, 63, 105, 211}) {
        Index const some = std::min(count, 420 - first);
        std::vector<double> part;
        file.read(field, first, some, part);
        std::vector<double> const expected(whole.begin() + first, whole.begin() + first + some);
        EXPECT_EQ(part, expected) << first << " " << some;
      }
    }
  });
}

TEST_F(Damage, OfAMeshFile) {
  auto const mesh = StructuredMesh::make({.axes = {Axis::stretched({0, 1, 3, 6, 10}), Axis::uniform(9, 0, 1)}}, ranks);
  Field<float> u(mesh, {.name = "u"});
  fill(u);
  write(mesh, {&u});
  on_first_rank(*ranks, [&] {
    fs::path const file = folder / "mesh.h5";
    EXPECT_EQ(damage_of_mesh_file(file), std::vector<std::string>{});
    std::ifstream from(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(from), {}};
    std::size_t const place = bytes.find(bytes_of(6));
    ASSERT_NE(place, std::string::npos);
    bytes.replace(place, sizeof(double), bytes_of(7));
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_EQ(damage_of_mesh_file(file), std::vector<std::string>{"`x`: does not match its checksum"});
  });
}

/// A moved number, or one with a flipped bit, in any of several parts.
TEST_F(Damage, OfOneNumberIsTold) {
  Index const block = PlaceChecksums::numbers_of_checksum;
  std::vector<float> numbers(static_cast<std::size_t>(2 * block + 5), 0.0F);
  auto const sums = [&] {
    PlaceChecksums checksums(static_cast<Index>(numbers.size()));
    std::span<std::byte const> const bytes = std::as_bytes(std::span(numbers));
    // In two parts whose boundary is inside a block.
    checksums.add(block + 3, bytes.subspan(static_cast<std::size_t>(4 * (block + 3))), sizeof(float));
    checksums.add(0, bytes.first(static_cast<std::size_t>(4 * (block + 3))), sizeof(float));
    return checksums.sums();
  };
  numbers[70] = 1.0F;
  auto const expected = sums();
  ASSERT_EQ(expected.size(), 3U);
  std::swap(numbers[70], numbers[71]);
  EXPECT_NE(sums()[0], expected[0]);
  std::swap(numbers[70], numbers[71]);
  EXPECT_EQ(sums(), expected);
  numbers.back() = -0.0F;
  EXPECT_NE(sums()[2], expected[2]);
  EXPECT_EQ(sums()[1], expected[1]);
}

}  // namespace
}  // namespace halocline
