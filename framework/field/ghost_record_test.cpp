#include "framework/field/ghost_record.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/ghost_events.hpp"
#include "framework/field/test_fields.hpp"

namespace halocline {
namespace {

using test::mesh_of;

static_assert(std::is_trivially_copyable_v<FieldView<double>>);
static_assert(std::is_convertible_v<FieldView<double>, BlockView<double const>>);
static_assert(std::is_convertible_v<FieldView<double>, FieldView<double const>>);
static_assert(!std::is_convertible_v<FieldView<double const>, FieldView<double>>);

constexpr int west_face = 0;
constexpr int east_face = 1;
constexpr int south_face = 2;

/// A field with two ghost layers; every axis is divided by all of the ranks or not at all.
Field<double> field_on(Periodicity const& periodic, std::size_t axes = 2) {
  std::vector<Axis> lines(axes, Axis::uniform(24, 0, 1));
  return {mesh_of(lines, periodic, {test::communicator().size(), 1, 1}), {.name = "u", .ghosts = 2}};
}

IndexRange shrunk(IndexRange range, Index layers, std::size_t axes) {
  for (std::size_t a = 0; a < axes; ++a) range.begin[a] += layers, range.end[a] -= layers;
  return range;
}

Block const& first_block(FieldBase const& field) { return field.mesh().blocks().front(); }

std::vector<int> valid(FieldBase const& field) {
  GhostRecord const& record = field.ghost_record(first_block(field));
  std::vector<int> widths;
  for (int face = 0; face < 2 * field.mesh().dimensions(); ++face) widths.push_back(record.valid(face));
  return widths;
}

void write(FieldBase& field, IndexRange const& range) { field.mark_written(first_block(field), range, "a test"); }
void write_owned(FieldBase& field) { write(field, field.owned(first_block(field))); }

TEST(GhostRecord, GhostsAreValidWhenAFieldIsMade) {
  EXPECT_EQ(valid(field_on({true, true, false})), std::vector<int>(4, 2));
  EXPECT_EQ(valid(field_on({})), std::vector<int>(4, 2));
}

TEST(GhostRecord, WhatIsWrittenSpoilsGhostsUpToItsDistanceFromTheFace) {
  for (Index const distance : {0, 1, 2, 5}) {
    auto u = field_on({true, true, false});
    write(u, shrunk(u.owned(first_block(u)), distance, 2));
    EXPECT_EQ(valid(u), std::vector<int>(4, static_cast<int>(std::min<Index>(distance, 2)))) << distance;
  }
}

TEST(GhostRecord, WhatLiesCloserToTheOppositeFaceCountsAsWell) {
  auto u = field_on({true, true, false});
  IndexRange range = u.owned(first_block(u));
  range.begin[0] = range.end[0] - 1;  // at the eastern face; the western neighbour has written the same range
  write(u, range);
  EXPECT_EQ(valid(u), std::vector<int>(4, 0));
}

TEST(GhostRecord, AWriteThatReachesIntoGhostsMakesThemValid) {
  auto u = field_on({true, true, false});
  write_owned(u);
  write(u, u.mesh().with_ghosts(first_block(u), Centring::cell, 1));
  EXPECT_EQ(valid(u), std::vector<int>(4, 1));
  EXPECT_EQ(u.ghost_record(first_block(u)).valid_inner_corners(), 1);
  // A write of part of the ghosts beyond the face does not make them valid.
  write_owned(u);
  IndexRange part = u.mesh().with_ghosts(first_block(u), Centring::cell, 1);
  part.begin[1] = 1;
  write(u, part);
  EXPECT_EQ(valid(u)[west_face], 0);
}

TEST(GhostRecord, WhatIsZeroByDesignStaysValid) {
  auto u = field_on({});
  write_owned(u);
  bool const has_east = first_block(u).neighbour(0, 1).has_value();
  EXPECT_EQ(valid(u)[south_face], 2);
  EXPECT_EQ(valid(u)[east_face], has_east ? 0 : 2);
}

TEST(GhostRecord, GhostsThatAFillMadeFromTheInsideAreSpoiledByWrites) {
  for (BoundaryKind const kind :
       {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin, BoundaryKind::reflecting}) {
    auto u = field_on({});
    BoundaryFill boundary(u, BoundaryConditions::all({.kind = kind}));
    write_owned(u);
    boundary.fill(u, 0);
    EXPECT_EQ(valid(u)[south_face], 2) << to_string(kind);
    write(u, shrunk(u.owned(first_block(u)), 1, 2));
    EXPECT_EQ(valid(u)[south_face], 1) << to_string(kind);
    write_owned(u);
    EXPECT_EQ(valid(u)[south_face], 0) << to_string(kind);
    boundary.fill(u, 0);
    EXPECT_EQ(valid(u)[south_face], 2) << to_string(kind);
  }
  auto u = field_on({});
  BoundaryFill(u, BoundaryConditions::all({.kind = BoundaryKind::zero})).fill(u, 0);
  write_owned(u);
  EXPECT_EQ(valid(u)[south_face], 2);
}

TEST(GhostRecord, CornersBesideWallsAreFilledByThatReachAlone) {
  auto u = field_on({});
  BoundaryFill boundary(u, BoundaryConditions::all({.kind = BoundaryKind::neumann}));
  GhostRecord const& record = u.ghost_record(first_block(u));
  boundary.fill(u, 0, BoundaryReach::faces);
  EXPECT_EQ(record.valid_wall_corners(), 0);
  boundary.fill(u, 0, BoundaryReach::corners);
  EXPECT_GE(record.valid_wall_corners(), 2);
  write_owned(u);
  EXPECT_EQ(record.valid_wall_corners(), 0);
}

TEST(GhostRecord, AConstantIsValidEverywhereAndAFunctionButAroundTheEnd) {
  auto u = field_on({false, true, false});
  write_owned(u);
  u.fill(3);
  EXPECT_EQ(valid(u), std::vector<int>(4, 2));
  u.fill(Expression("x + y"), 0);
  EXPECT_EQ(valid(u), (std::vector<int>{2, 2, 0, 0}));
}

TEST(GhostRecord, SetOwnedSpoilsGhosts) {
  auto u = field_on({true, true, false});
  std::vector<double> const values(static_cast<std::size_t>(u.owned(first_block(u)).size()));
  u.set_owned(first_block(u), 0, std::as_bytes(std::span(values)));
  EXPECT_EQ(valid(u), std::vector<int>(4, 0));
}

TEST(GhostRecord, GoesWithCopiesAndSwapsWhileNamesStay) {
  auto const mesh = mesh_of({Axis::uniform(24, 0, 1)}, {true, false, false});
  Field<double> u(mesh, {.name = "u", .ghosts = 2});
  Field<double> v(mesh, {.name = "v", .ghosts = 2});
  write_owned(u);
  u.swap_values(v);
  EXPECT_EQ(valid(u), std::vector<int>(2, 2));
  EXPECT_EQ(valid(v), std::vector<int>(2, 0));
  EXPECT_EQ(u.ghost_record(first_block(u)).name(), "`u`");
  EXPECT_EQ(v.ghost_record(first_block(v)).name(), "`v`");
  u.copy(v);
  EXPECT_EQ(valid(u), std::vector<int>(2, 0));
  u.mark_ghosts_valid(1);
  EXPECT_EQ(valid(u), std::vector<int>(2, 1));
}

TEST(GhostRecord, PartsOfOnePassCountAsWrittenWhenItEnds) {
  auto u = field_on({true, true, false});
  {
    OnePass const pass;
    OnePass const inner;
    write_owned(u);
    EXPECT_EQ(valid(u), std::vector<int>(4, 2));
  }
  EXPECT_EQ(valid(u), std::vector<int>(4, 0));
}

TEST(GhostRecord, AJournalTellsAgainWhatHappened) {
  auto u = field_on({true, true, false});
  GhostJournal journal;
  journal.record([&] {
    OnePass const pass;
    write(u, shrunk(u.owned(first_block(u)), 1, 2));
  });
  EXPECT_EQ(valid(u), std::vector<int>(4, 1));
  u.fill(0);
  journal.replay();
  EXPECT_EQ(valid(u), std::vector<int>(4, 1));
}

}  // namespace
}  // namespace halocline
