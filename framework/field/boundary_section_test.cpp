#include "framework/field/boundary_section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/test_fields.hpp"
#include "framework/mesh/mesh_section.hpp"

namespace halocline {
namespace {

using test::mesh_of;
using test::message_of;

TEST(BoundaryNames, AreReadBackAndRefusedByName) {
  for (std::string const& name : boundary_kind_names()) EXPECT_EQ(to_string(boundary_kind(name)), name);
  EXPECT_EQ(message_of([] { static_cast<void>(boundary_kind("open")); }),
            "`open`: no such boundary condition (known: periodic, dirichlet, neumann, robin, reflecting, zero)");
}

Options validated(std::string const& text) {
  Section root("deck", "A deck with nothing but boundaries.");
  root.section(declare_boundary_section());
  return Deck("test.yaml", text).read(root).section("boundary");
}

TEST(BoundarySection, GivesEachFaceItsCondition) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)}, {false, true, false});
  BoundaryConditions const conditions = make_boundary_conditions(
      validated("boundary:\n  west: {kind: dirichlet, value: 2 * y}\n  east: {kind: robin, a: 3, b: 4, value: 1}\n"),
      *mesh);
  EXPECT_EQ(conditions.at(0, -1).kind, BoundaryKind::dirichlet);
  EXPECT_EQ(conditions.at(0, -1).value(0, 5, 0, 0), 10);
  EXPECT_EQ(conditions.at(0, 1).kind, BoundaryKind::robin);
  EXPECT_EQ(conditions.at(0, 1).a, 3);
  EXPECT_EQ(conditions.at(0, 1).b, 4);
  EXPECT_EQ(conditions.at(1, -1).kind, BoundaryKind::periodic);
}

Section film_section() {
  Section film("film", "A thin film that resists the flux.");
  film.real("resistance", "u + resistance du/dn = value.");
  return film;
}

bool const registered = (wall_laws().add({.name = "film",
                                          .declare = film_section,
                                          .condition =
                                              [](Options const& face) {
                                                return BoundaryCondition{.kind = BoundaryKind::robin,
                                                                         .value = face.expression("value"),
                                                                         .a = 1,
                                                                         .b = face.section("film").real("resistance")};
                                              }}),
                         true);

TEST(BoundarySection, KnowsLawsThatAreRegistered) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1)}, {false, false, false});
  BoundaryConditions const conditions = make_boundary_conditions(
      validated("boundary:\n  west: {kind: film, value: 5, film: {resistance: 0.25}}\n"), *mesh);
  EXPECT_EQ(conditions.at(0, -1).kind, BoundaryKind::robin);
  EXPECT_EQ(conditions.at(0, -1).value(0, 0, 0, 0), 5);
  EXPECT_EQ(conditions.at(0, -1).a, 1);
  EXPECT_EQ(conditions.at(0, -1).b, 0.25);
  EXPECT_EQ(conditions.at(0, 1).kind, BoundaryKind::neumann);
  EXPECT_THAT(message_of([] { validated("boundary:\n  west: {kind: film}\n"); }),
              testing::StartsWith("`boundary.west.film.resistance`: "));
  EXPECT_EQ(message_of([] { wall_laws().add({.name = "robin", .declare = {}, .condition = {}}); }),
            "`robin`: there is already a wall law of this name");
}

TEST(BoundarySection, RefusesFacesThatDoNotFitTheMesh) {
  auto const mesh = mesh_of({Axis::uniform(8, 0, 1), Axis::uniform(8, 0, 1)}, {false, true, false});
  auto const refusal = [&](std::string const& text) {
    return message_of([&] { static_cast<void>(make_boundary_conditions(validated(text), *mesh)); });
  };
  EXPECT_THAT(
      refusal("boundary:\n  west: {kind: periodic}\n"),
      testing::StartsWith("`boundary.west`: the face is periodic, the mesh is not along this axis (test.yaml:2:"));
  EXPECT_THAT(
      refusal("boundary:\n  south: {kind: zero}\n"),
      testing::StartsWith("`boundary.south`: the mesh is periodic along this axis, the face is not (test.yaml:2:"));
  EXPECT_THAT(refusal("boundary:\n  top: {kind: zero}\n"),
              testing::StartsWith("`boundary.top`: the mesh has 2 axes and no such face (test.yaml:2:"));
  EXPECT_THAT(
      refusal("boundary:\n  west: {kind: robin, a: 0, b: 0}\n"),
      testing::HasSubstr("`boundary.west.kind`: robin with a = 0 and b = 0 does not determine u (test.yaml:2:"));
}

TEST(BoundarySection, ValidatesFacesAgainstTheMeshSectionOfTheDeck) {
  Section root("", "A deck with a mesh and boundaries.");
  root.section(declare_mesh_section());
  root.section(declare_boundary_section());
  root.check([](Options const& deck, Mistakes& mistakes) {
    validate_boundary(deck.section("boundary"), deck.section("mesh"), mistakes);
  });
  auto const refusal = [&](std::string const& text) {
    return message_of([&] { static_cast<void>(Deck("test.yaml", text).read(root)); });
  };
  EXPECT_EQ(refusal("mesh: {cells: [8, 8], periodic: [false, true]}\n"
                    "boundary:\n"
                    "  west: {kind: periodic}\n"
                    "  south: {kind: zero}\n"
                    "  top: {kind: zero}\n"),
            "`boundary.west`: the face is periodic, the mesh is not along this axis (test.yaml:3:3)\n"
            "`boundary.south`: the mesh is periodic along this axis, the face is not (test.yaml:4:3)\n"
            "`boundary.top`: the mesh has 2 axes and no such face (test.yaml:5:3)");
  EXPECT_EQ(refusal("mesh: {cells: [8, 8], periodic: [false, true]}\nboundary: {south: {kind: periodic}}\n"),
            "nothing was thrown");
}

}  // namespace
}  // namespace halocline
