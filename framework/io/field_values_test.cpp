#include "framework/io/field_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "framework/field/test_fields.hpp"
#include "framework/io/field_file.hpp"
#include "framework/runtime/first_rank.hpp"
#include "tests/support/shared_folder.hpp"

namespace halocline {
namespace {

using test::mesh_of;
using test::message_of;
using testing::HasSubstr;
using testing::StartsWith;

/// Works in a temporary folder that all ranks share.
class FieldFiles : public testing::Test {
 protected:
  FieldFiles() { std::filesystem::current_path(folder()); }
  ~FieldFiles() override { std::filesystem::current_path(before_); }

  [[nodiscard]] static int rank() { return test::communicator().rank(); }
  [[nodiscard]] std::filesystem::path const& folder() const { return shared_.path(); }

  /// Raw doubles, written by the first rank and remembered as validated on all ranks.
  static FieldFile write(std::vector<double> const& values, std::vector<std::int64_t> dims) {
    on_first_rank(test::communicator(), [&] { write_here(values); });
    remember_validated(InputFile("f"));
    return given(std::move(dims));
  }
  static void write_here(std::vector<double> const& values) {
    std::ofstream("f", std::ios::binary)
        .write(reinterpret_cast<char const*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
  }
  static FieldFile given(std::vector<std::int64_t> dims) {
    FieldFile file;
    file.path = "f";
    file.format = FieldFile::Format::raw;
    file.type = "float64";
    file.dims = std::move(dims);
    file.location = {"deck", 3, 4};
    return file;
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  test::SharedFolder shared_;
};

Axis unit_axis(Index cells) { return Axis::uniform(cells, 0, 1); }

void expect_stencil(LinearStencil const& stencil, Index first, double weight) {
  EXPECT_EQ(stencil.first, first);
  EXPECT_DOUBLE_EQ(stencil.weight, weight);
}

TEST(FileAxis, InterpolatesBetweenItsEntries) {
  FileAxis const centres(unit_axis(4), 4, false, false);
  expect_stencil(centres.at(0), 0, 0);
  expect_stencil(centres.at(0.125), 0, 0);
  expect_stencil(centres.at(0.25), 0, 0.5);
  expect_stencil(centres.at(0.875), 3, 0);
  expect_stencil(centres.at(1), 3, 0);
  FileAxis const nodes(unit_axis(4), 5, true, false);
  expect_stencil(nodes.at(0), 0, 0);
  expect_stencil(nodes.at(0.3125), 1, 0.25);
  expect_stencil(nodes.at(1), 4, 0);
  FileAxis const ring(unit_axis(4), 4, false, true);
  expect_stencil(ring.at(0), -1, 0.5);
  expect_stencil(ring.at(1), 3, 0.5);
  FileAxis const uneven(Axis::stretched({0, 1, 3}), 2, false, false);
  expect_stencil(uneven.at(1), 0, 1.0 / 3);
  expect_stencil(FileAxis(unit_axis(1), 1, false, true).at(0.25), 0, 0);
}

/// Read in several boxes, in both orders of an .npy file.
TEST_F(FieldFiles, LargerThanWhatIsHeldAtATime) {
  constexpr Index nx = 150;
  constexpr Index ny = 140;
  constexpr Index nz = 130;
  auto const expected = [](Index i, Index j, Index k) { return static_cast<signed char>((i + 3 * j + 7 * k) % 127); };
  for (bool const reversed : {false, true}) {
    on_first_rank(test::communicator(), [&] {
      std::string const header = std::string("{'descr': '|i1', 'fortran_order': ") + (reversed ? "True" : "False") +
                                 ", 'shape': (130, 140, 150), }\n";
      std::ofstream file("f", std::ios::binary);
      file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
      std::string numbers;
      for (Index outer = 0; outer < (reversed ? nx : nz); ++outer) {
        for (Index j = 0; j < ny; ++j) {
          for (Index inner = 0; inner < (reversed ? nz : nx); ++inner) {
            numbers.push_back(static_cast<char>(reversed ? expected(outer, j, inner) : expected(inner, j, outer)));
          }
        }
      }
      file << numbers;
    });
    auto const mesh = mesh_of({unit_axis(nx), unit_axis(ny), unit_axis(nz)});
    Field<float> u(mesh, {.name = "u"});
    remember_validated(InputFile("f"));
    FieldFile given;
    given.path = "f";
    fill(FieldSource(given), "u", 0, u);
    for (Block const& block : mesh->blocks()) {
      test::HostCopy<float> values(u, block);
      Extents const first = block.cells.begin;
      Extents const cells = u.owned(block).extents();
      Index wrong = 0;
      for (Index k = 0; k < cells[2]; ++k) {
        for (Index j = 0; j < cells[1]; ++j) {
          for (Index i = 0; i < cells[0]; ++i) {
            wrong += values(0, i, j, k) != static_cast<float>(expected(first[0] + i, first[1] + j, first[2] + k));
          }
        }
      }
      EXPECT_EQ(wrong, 0) << reversed;
    }
  }
}

TEST_F(FieldFiles, ThatChangeAreRefused) {
  auto const mesh = mesh_of({unit_axis(8)});
  Field<double> u(mesh, {.name = "u"});
  auto const said = [&](FieldFile const& file) {
    return message_of([&] { fill(FieldSource(file), "flow.initial", 0, u); });
  };
  FieldFile const file = write(std::vector<double>(8, 1.0), {8});
  EXPECT_EQ(said(file), "nothing was thrown");
  on_first_rank(test::communicator(), [&] {
    std::filesystem::last_write_time("f", std::filesystem::last_write_time("f") + std::chrono::seconds(1));
  });
  EXPECT_THAT(said(file), HasSubstr("`flow.initial`: `f` has changed since the deck was checked: it was rewritten "
                                    "(deck:3:4)"));
  FieldFile const longer = write(std::vector<double>(8, 1.0), {8});
  on_first_rank(test::communicator(), [&] { write_here(std::vector<double>(16, 1.0)); });
  EXPECT_THAT(said(given({16})), HasSubstr("`f` has changed since the deck was checked: it had 64 bytes and has 128"));
}

TEST_F(FieldFiles, ThatChangeWhileTheyAreReadAreRefused) {
  if (rank() == 0) write_here({1, 2});
  test::communicator().barrier();
  InputFile const file("f");
  file.require_unchanged();
  test::communicator().barrier();
  if (rank() == 0) write_here({1});
  test::communicator().barrier();
  EXPECT_EQ(message_of([&] { file.require_unchanged(); }),
            "`f` has changed while it was read: it had 16 bytes and has 8");
  std::array<std::byte, 16> bytes{};
  EXPECT_EQ(message_of([&] { file.read(0, bytes.size(), bytes.data()); }),
            "`f` ends after 8 bytes; it had 16 when it was opened");
  test::communicator().barrier();
  if (rank() == 0) std::filesystem::remove("f");
  test::communicator().barrier();
  EXPECT_THAT(message_of([&] { file.require_unchanged(); }), StartsWith("`f` is no longer accessible: "));
}

/// Each rank has another file with the same name.
TEST_F(FieldFiles, ThatAreOthersOnOtherRanksAreRefused) {
  std::filesystem::path const mine = folder() / std::to_string(rank());
  std::filesystem::create_directory(mine);
  std::filesystem::current_path(mine);
  write_here(std::vector<double>(8, rank()));
  std::filesystem::last_write_time("f", std::filesystem::last_write_time("f") + std::chrono::seconds(rank()));
  remember_validated(InputFile("f"));
  Field<double> u(mesh_of({unit_axis(8)}), {.name = "u"});
  std::string const said = message_of([&] { fill(FieldSource(given({8})), "flow.initial", 0, u); });
  if (test::communicator().size() == 1) {
    EXPECT_EQ(said, "nothing was thrown");
  } else {
    EXPECT_THAT(
        said,
        HasSubstr("`flow.initial`: `f` is not the same file on all ranks; check its path on each host (deck:3:4)"));
  }
}

TEST_F(FieldFiles, TellOfTheFirstEntryThatIsNoNumber) {
  std::vector<double> values(60, 1.0);
  values[9] = -std::numeric_limits<double>::infinity();
  values[30] = std::numeric_limits<double>::quiet_NaN();
  FieldFile const file = write(values, {10, 6});
  Field<double> u(mesh_of({unit_axis(10), unit_axis(6)}), {.name = "u"});
  EXPECT_THAT(
      message_of([&] { fill(FieldSource(file), "flow.initial", 0, u); }),
      HasSubstr("`flow.initial`: `f` holds a value that is not finite: entry [0][9] ([y][x]) is -inf (deck:3:4)"));
}

/// Between cell centres a linear function is exact; beyond them, and across a period, the header describes the values.
TEST_F(FieldFiles, HaveValuesAtAnyPlace) {
  constexpr int n = 8;
  std::vector<double> values;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) values.push_back((i + 0.5) / n + 10 * (j + 0.5) / n);
  }
  FieldFile const file = write(values, {n, n});
  auto const at = [](double x) { return std::clamp(x, 0.5 / n, 1 - 0.5 / n); };
  for (bool const periodic : {false, true}) {
    auto const mesh = mesh_of({unit_axis(n), unit_axis(n)}, {periodic, false, false});
    PointValues const point(FieldSource(file), "velocity", mesh, Precision::double_);
    for (Block const& block : mesh->blocks()) {
      for (Index j = block.cells.begin[1]; j <= block.cells.end[1]; ++j) {
        for (Index i = block.cells.begin[0]; i <= block.cells.end[0]; ++i) {
          double const x = mesh->axis(0).edge(i);
          double const y = mesh->axis(1).edge(j);
          bool const closes = periodic && (i == 0 || i == n);
          EXPECT_NEAR(point({x, y, 0}), (closes ? 0.5 : at(x)) + 10 * at(y), 1e-14) << i << ", " << j;
          if (closes) {
            EXPECT_NEAR(point({0, y, 0}), point({1, y, 0}), 1e-14);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halocline
