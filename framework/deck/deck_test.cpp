#include "framework/deck/deck.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/deck/validation.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

Section cg_section() {
  Section cg("cg", "Conjugate gradients.");
  cg.real("relative_tolerance", "Ends a solve.").defaults_to(1e-10).at_least(0).below(1);
  cg.integer("iterations", "Most iterations.").defaults_to(1000).at_least(1);
  cg.choice("preconditioner", "Of each step.", {"none", "jacobi"}).defaults_to("none");
  return cg;
}

Section chebyshev_section() {
  Section chebyshev("chebyshev", "Chebyshev's iteration.");
  chebyshev.real("bound", "Upper bound of the eigenvalues.").above(0);
  return chebyshev;
}

/// A declaration with every kind of option.
Section root_section() {
  Section root("deck", "A run.");
  root.choice("physics", "What is solved.", {"flow", "lattice"});
  root.text("title", "Said of the run.").defaults_to("");
  root.text("devices", "Which, or how many.").or_list().optional();
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells along each axis.", 1, 3).unit("cells").at_least(1);
  mesh.reals("lower", "Where it begins.", 1, 3).defaults_to(std::vector<double>{0, 0}).unit("m");
  mesh.reals("upper", "Where it ends.", 1, 3).defaults_to(std::vector<double>{1, 1}).unit("m");
  mesh.booleans("periodic", "Which axes are.", 1, 3).defaults_to(std::vector<bool>{false, false});
  mesh.check([](Options const& given, Mistakes& mistakes) { check_domain(given, "lower", "upper", mistakes); });
  Section& time = root.section("time", "Time steps.");
  time.real("step", "Length of a step.").unit("s").above(0).defaults_to(1);
  time.real("end", "Where it ends.").unit("s").optional();
  Section& solver = root.section("solver", "The linear solver.");
  solver.choice("method", "Its name.", Names([] {
                  return std::vector<std::string>{"cg", "chebyshev"};
                }))
      .defaults_to("cg");
  solver.sections("method", [] { return std::vector<Section>{cg_section(), chebyshev_section()}; });
  Section region("regions", "A part of the mesh.");
  region.expression("density", "Of its matter.").unit("kg/m3");
  region.path("table", "Of its values.").optional();
  root.list(region);
  return root;
}

std::string const good = "physics: flow\nmesh: {cells: [4, 3]}\n";

Options read(std::string const& text, std::vector<std::string> const& overrides = {}) {
  return Deck("d.yaml", text, overrides_by_set(overrides)).read(root_section());
}

/// All mistakes that reading finds, one a line.
std::string mistakes(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)read(text, overrides);
  } catch (InputError const& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::wrong_input);
    return error.what();
  }
  return "";
}

TEST(Deck, ASectionMayBeAbsentWhereAChoiceSaysSo) {
  Section root("deck", "A run.");
  root.choice("physics", "What is solved.", {"flow", "bodies"});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.optional_where("physics", {"bodies"});
  mesh.integer("cells", "Cells.");
  auto const read_it = [&](std::string const& text) { return Deck("d.yaml", text).read(root); };
  EXPECT_FALSE(read_it("physics: bodies\n").given("mesh"));
  EXPECT_EQ(read_it("physics: flow\nmesh: {cells: 3}\n").section("mesh").integer("cells"), 3);
  EXPECT_THROW((void)read_it("physics: flow\n"), InputError);
  EXPECT_THROW((void)read_it("physics: bodies\nmesh: {}\n"), InputError);
}

TEST(Deck, GivesValuesAndDefaults) {
  Options const deck = read(
      "physics: flow\n"
      "mesh: {cells: [4, 3], periodic: [true, False]}\n"
      "solver:\n"
      "  cg: {relative_tolerance: 0, iterations: 9223372036854775807}\n"
      "regions:\n"
      "  - density: 1 + x*y\n"
      "  - {density: 2.5, table: a.csv}\n");
  EXPECT_EQ(deck.choice("physics"), "flow");
  EXPECT_EQ(deck.text("title"), "");
  Options const mesh = deck.section("mesh");
  EXPECT_EQ(mesh.integers("cells"), (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(mesh.reals("upper"), (std::vector<double>{1, 1}));
  EXPECT_EQ(mesh.booleans("periodic"), (std::vector<bool>{true, false}));
  Options const cg = deck.section("solver").section("cg");
  EXPECT_EQ(cg.real("relative_tolerance"), 0);
  EXPECT_EQ(cg.integer("iterations"), 9223372036854775807);
  EXPECT_EQ(cg.choice("preconditioner"), "none");
  EXPECT_EQ(cg.full_name("iterations"), "solver.cg.iterations");
  std::vector<Options> const regions = deck.list("regions");
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_EQ(regions[0].expression("density")(2, 3, 0, 0), 7);
  EXPECT_FALSE(regions[0].has("table"));
  EXPECT_EQ(regions[1].path("table"), "a.csv");
  EXPECT_EQ(regions[1].full_name(), "regions[1]");
}

TEST(Deck, ATextMayBeAListWhereItsOptionSaysSo) {
  EXPECT_EQ(read(good + "devices: all\n").text("devices"), "all");
  EXPECT_EQ(read(good + "devices: 0,1\n").text("devices"), "0,1");
  EXPECT_EQ(read(good + "devices: [1]\n").text("devices"), "[1]");
  EXPECT_EQ(read(good, {"devices=[0, 1, 0]"}).text("devices"), "[0, 1, 0]");
}

TEST(Deck, AnEmptyValueUnsetsAnOption) {
  std::string const deck = "physics: flow\nmesh: {cells: [4, 3], upper: [2, 2]}\ntitle: a\n";
  EXPECT_EQ(read(deck, {"title="}).text("title"), "");
  EXPECT_EQ(read(deck, {"title=", "title=b"}).text("title"), "b");
  EXPECT_EQ(read(deck, {"title=", "title="}).text("title"), "") << "a restart repeats what it was given before";
  EXPECT_EQ(read(deck, {"mesh.upper="}).section("mesh").reals("upper"), (std::vector<double>{1, 1}));
  EXPECT_EQ(read(deck, {"mesh.upper="}).section("mesh").integers("cells"), (std::vector<std::int64_t>{4, 3}));
}

TEST(Deck, AnOverrideWithAColonIsAText) {
  EXPECT_EQ(read(good, {"title=x < 1 ? 2 : 3"}).text("title"), "x < 1 ? 2 : 3");
  EXPECT_EQ(read(good, {"title=(x < 1 ? 2 : (y < 1 ? 3 : 4))"}).text("title"), "(x < 1 ? 2 : (y < 1 ? 3 : 4))");
  EXPECT_EQ(read(good, {"title='a: b'"}).text("title"), "a: b");
  EXPECT_EQ(read(good, {"title=a: b # c"}).text("title"), "a: b");
  EXPECT_EQ(read(good, {"title=a # b: c"}).text("title"), "a");
  EXPECT_EQ(read(good, {"regions=- {density: 2}"}).list("regions").size(), 1U);
  EXPECT_EQ(read(good, {"mesh={cells: [5, 6]}"}).section("mesh").integers("cells"), (std::vector<std::int64_t>{5, 6}));
}

TEST(Deck, TellsWhatAnOptionSaysBeforeItIsValidated) {
  Section root = root_section();
  Option const& title = root.options()[1];
  Option const& devices = root.options()[2];
  auto const said = [](Option const& option, std::string const& text, std::vector<std::string> const& overrides = {}) {
    OptionValue const value = Deck("d.yaml", text, overrides_by_set(overrides)).unvalidated(option);
    auto const* const found = std::get_if<std::string>(&value);
    return found != nullptr ? *found : "nothing";
  };
  EXPECT_EQ(said(title, "title: a\nmesh: 5\nnone: 1\n"), "a") << "mistakes elsewhere are found later";
  EXPECT_EQ(said(devices, "devices: [0, 1]\n"), "[0, 1]");
  EXPECT_EQ(said(devices, "devices: [0, 1]\n", {"devices=2"}), "2");
  EXPECT_EQ(said(devices, good, {"devices=all"}), "all");
  EXPECT_EQ(said(devices, good), "nothing");
  EXPECT_EQ(said(devices, "mesh: {devices: 2}\n"), "nothing");
  EXPECT_EQ(said(devices, "devices: {a: 1}\n"), "nothing");
  EXPECT_EQ(said(devices, "devices: [\n"), "nothing");
  EXPECT_EQ(said(devices, "- devices\n"), "nothing");
}

TEST(Deck, TellsWhatAnOptionOfASectionSaysBeforeItIsValidated) {
  Section root("", "A run.");
  Section& io = root.section("io", "Ranks that write.");
  Option const& ranks = io.integer("ranks", "So many.");
  auto const said = [&](std::string const& text, std::vector<std::string> const& overrides = {}) {
    OptionValue const value = Deck("d.yaml", text, overrides_by_set(overrides)).unvalidated(ranks, "io");
    auto const* const found = std::get_if<std::int64_t>(&value);
    return found != nullptr ? *found : -1;
  };
  EXPECT_EQ(said("io: {ranks: 2}\nnone: 1\n"), 2);
  EXPECT_EQ(said("io: {ranks: 2}\n", {"io.ranks=3"}), 3);
  EXPECT_EQ(said("title: a\n", {"io.ranks=3"}), 3);
  EXPECT_EQ(said("ranks: 2\n"), -1) << "of no section";
  EXPECT_EQ(said("io: 5\nranks: 2\n"), -1);
  EXPECT_EQ(said("io: {ranks: many}\n"), -1);
}

TEST(Deck, WhatACheckRefusedIsNotValidatedAgain) {
  Section root("", "A run.");
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells.", 1, 3);
  mesh.integers("processes", "Blocks.", 1, 3);
  mesh.check([](Options const& given, Mistakes& mistakes) {
    if (given.integers("processes").size() != given.integers("cells").size())
      add_mistake(given, "processes", "too few", mistakes);
  });
  root.check([](Options const& given, Mistakes& mistakes) {
    Options const inner = given.section("mesh");
    if (inner.integers("cells").at(1) == 0) add_mistake(inner, "cells", "none", mistakes);
    if (inner.integers("processes").at(1) == 0) add_mistake(inner, "processes", "none", mistakes);
  });
  try {
    (void)Deck("d.yaml", "mesh: {cells: [4, 0], processes: 2}").read(root);
    ADD_FAILURE();
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "`mesh.cells`: none (d.yaml:1:15)\n`mesh.processes`: too few (d.yaml:1:34)");
  }
}

TEST(Deck, KnowsWhereValuesComeFrom) {
  Options const deck = read("physics: flow\nmesh:\n  cells: [4, 3]\n", {"time.step=2"});
  EXPECT_EQ(deck.section("mesh").location("cells").text(), "d.yaml:3:10");
  EXPECT_TRUE(deck.section("mesh").given("cells"));
  EXPECT_FALSE(deck.section("mesh").given("lower"));
  EXPECT_EQ(deck.section("time").location("step").text(), "--set time.step=2");
  EXPECT_EQ(deck.section("time").real("step"), 2);
  EXPECT_FALSE(deck.given("solver"));
}

TEST(Deck, RefusesToAnswerWhatIsNotDeclared) {
  Options const deck = read(good);
  EXPECT_THROW((void)deck.integer("mash"), DefectError);
  EXPECT_THROW((void)deck.integer("title"), DefectError);
  EXPECT_THROW((void)deck.section("mash"), DefectError);
  EXPECT_THROW((void)deck.list("mash"), DefectError);
  EXPECT_THROW((void)deck.given("mash"), DefectError);
  EXPECT_THROW((void)deck.section("time").real("end"), DefectError);
  EXPECT_THROW((void)deck.section("mesh").reals("cells"), DefectError);
  EXPECT_THROW((void)deck.section("solver").section("chebyshev").real("bound"), DefectError);
}

struct Case {
  std::string text;
  std::vector<std::string> overrides;
  std::string message;
};

class WrongDeck : public testing::TestWithParam<Case> {};

TEST_P(WrongDeck, IsRefusedInTheseWords) {
  EXPECT_EQ(mistakes(GetParam().text, GetParam().overrides), GetParam().message);
}

std::vector<Case> const unknown{
    {good + "solver:\n  cg:\n    iteratons: 5\n",
     {},
     "`iteratons`: unknown in solver.cg (d.yaml:5:5); did you mean `iterations`?"},
    {good + "sovler: {}\n", {}, "`sovler`: unknown in the deck (d.yaml:3:1); did you mean `solver`?"},
    {good + "iterations: 5\n",
     {},
     "`iterations`: unknown in the deck (d.yaml:3:1); did you mean `solver.cg.iterations`?"},
    {good + "time: {zzzzz: 1}\n", {}, "`zzzzz`: unknown in time (d.yaml:3:8); known: step, end"},
    {good + "solver: {cg: {tolerance: 1}}\n",
     {},
     "`tolerance`: unknown in solver.cg (d.yaml:3:15); did you mean `relative_tolerance`?"},
    {good + "solver: {method: cgg}\n",
     {},
     "`solver.method`: expected one of cg, chebyshev, got 'cgg' (d.yaml:3:18); did you mean `cg`?"},
    {good + "regions: [{density: 1, densty: 2}]\n",
     {},
     "`densty`: unknown in regions[0] (d.yaml:3:24); did you mean `density`?"},
    {good + "time: {step: 1, step: 2}\n", {}, "`step`: given twice in time (d.yaml:3:17); first at d.yaml:3:8"},
    {good, {"solver.cg.iter=5"}, "`iter`: unknown in solver.cg (--set solver.cg.iter=5); did you mean `iterations`?"},
};
INSTANTIATE_TEST_SUITE_P(Unknown, WrongDeck, testing::ValuesIn(unknown));

std::vector<Case> const wrong_type{
    {"physics: flow\nmesh: {cells: ten}\n", {}, "`mesh.cells`: expected an integer, got 'ten' (d.yaml:2:15)"},
    {"physics: flow\nmesh: {cells: [2.5, 3]}\n", {}, "`mesh.cells[0]`: expected an integer, got '2.5' (d.yaml:2:16)"},
    {"physics: flow\nmesh: {cells: ['4', 3]}\n",
     {},
     "`mesh.cells[0]`: expected an integer, got the text \"4\" (d.yaml:2:16)"},
    {"physics: flow\nmesh: {cells: 9223372036854775808}\n",
     {},
     "`mesh.cells`: expected an integer, got '9223372036854775808': it does not fit in 64 bits (d.yaml:2:15)"},
    {"physics: flow\nmesh: {cells: [1, 2, 3, 4]}\n", {}, "`mesh.cells`: expected 1 to 3 integers, got 4 (d.yaml:2:15)"},
    {"physics: flow\nmesh: {cells: {x: 4}}\n",
     {},
     "`mesh.cells`: expected 1 to 3 integers, got a section (d.yaml:2:15)"},
    {"physics: flow\nmesh: {cells: }\n", {}, "`mesh.cells`: expected 1 to 3 integers, got nothing (d.yaml:2:15)"},
    {"physics: flow\nmesh: 4\n", {}, "`mesh`: expected a section, got '4' (d.yaml:2:7)"},
    {good + "time: {step: nan}\n", {}, "`time.step`: expected a number, got 'nan': it is not finite (d.yaml:3:14)"},
    {good + "time: {step: -.inf}\n", {}, "`time.step`: expected a number, got '-.inf': it is not finite (d.yaml:3:14)"},
    {good + "time: {step: 1e400}\n",
     {},
     "`time.step`: expected a number, got '1e400': it does not fit in a 64-bit real (d.yaml:3:14)"},
    {good + "time: {step: [1, 2]}\n", {}, "`time.step`: expected a number, got a list (d.yaml:3:14)"},
    {good + "time: {step: 0x10}\n", {}, "`time.step`: expected a number, got '0x10' (d.yaml:3:14)"},
    {"physics: flow\nmesh: {cells: 4, periodic: 1}\n",
     {},
     "`mesh.periodic`: expected true or false, got '1' (d.yaml:2:28)"},
    {good + "regions: 4\n", {}, "`regions`: expected a list of sections, got '4' (d.yaml:3:10)"},
    {good + "regions: [4]\n", {}, "`regions[0]`: expected a section, got '4' (d.yaml:3:11)"},
    {good + "title: [a]\n", {}, "`title`: expected a text, got a list (d.yaml:3:8)"},
    {good + "devices: [[0]]\n", {}, "`devices`: expected a text or a list, got a list (d.yaml:3:11)"},
    {good + "devices: {a: 0}\n", {}, "`devices`: expected a text or a list, got a section (d.yaml:3:10)"},
};
INSTANTIATE_TEST_SUITE_P(WrongType, WrongDeck, testing::ValuesIn(wrong_type));

std::vector<Case> const out_of_range{
    {"physics: flow\nmesh: {cells: [4, -3]}\n",
     {},
     "`mesh.cells[1]`: -3 is out of range: must be at least 1 cells (d.yaml:2:19)"},
    {good + "time: {step: 0}\n", {}, "`time.step`: 0 is out of range: must be above 0 s (d.yaml:3:14)"},
    {good + "solver: {cg: {relative_tolerance: 1}}\n",
     {},
     "`solver.cg.relative_tolerance`: 1 is out of range: must be at least 0 and below 1 (d.yaml:3:35)"},
    {"physics: flow\nmesh: {cells: [4, 3], upper: [1, 0]}\n",
     {},
     "`mesh.upper`: the domain is empty along y: upper 0 is not above lower 0 (d.yaml:2:30)"},
    {"physics: flow\nmesh: {cells: [4, 3], upper: [1]}\n",
     {},
     "`mesh.upper`: has 1 entry, `mesh.lower` has 2 (d.yaml:2:30)"},
    {good + "regions: [{density: sin(}]\n",
     {},
     "`regions[0].density`: 'sin(' is not an expression of x, y, z and t: it ends too early (d.yaml:3:21)"},
    {good + "regions: [{density: 2*w}]\n",
     {},
     "`regions[0].density`: '2*w' is not an expression of x, y, z and t: `w` is not known (known: x, y, z, t, pi, "
     "random(seed) and muParser's functions) (d.yaml:3:21)"},
    {good + "regions: [{density: 1/0}]\n", {}, "`regions[0].density`: '1/0' is not finite (d.yaml:3:21)"},
    {good + "regions: [{density: 1e400}]\n",
     {},
     "`regions[0].density`: '1e400' is not a valid value: it does not fit in a 64-bit real (d.yaml:3:21)"},
    {good + "regions: [{density: 1, table: ''}]\n", {}, "`regions[0].table`: expected a path, got none (d.yaml:3:31)"},
};
INSTANTIATE_TEST_SUITE_P(OutOfRange, WrongDeck, testing::ValuesIn(out_of_range));

std::vector<Case> const missing{
    {"physics: flow\n", {}, "`mesh.cells`: missing (d.yaml:1:1); it is required: Cells along each axis."},
    {"mesh: {cells: 4}\nmesh2: {}\n",
     {},
     "`physics`: missing (d.yaml:1:1); it is required: What is solved.\n"
     "`mesh2`: unknown in the deck (d.yaml:2:1); did you mean `mesh`?"},
    {"physics: flow\nmesh: {}\n", {}, "`mesh.cells`: missing (d.yaml:2:1); it is required: Cells along each axis."},
    {good + "solver: {method: chebyshev}\n",
     {},
     "`solver.chebyshev.bound`: missing (d.yaml:3:1); it is required: Upper bound of the eigenvalues."},
};
INSTANTIATE_TEST_SUITE_P(Missing, WrongDeck, testing::ValuesIn(missing));

std::vector<Case> const not_a_deck{
    {"", {}, "`d.yaml`: the deck is empty (d.yaml:1:1)"},
    {"\xEF\xBB\xBF \n", {}, "`d.yaml`: the deck is empty (d.yaml:1:1)"},
    {std::string("physics: flow\n\0", 15), {}, "`d.yaml`: not a text file (UTF-8) (d.yaml:2:1)"},
    {"physics: \xff\n", {}, "`d.yaml`: not a text file (UTF-8) (d.yaml:1:10)"},
    {"physics\n", {}, "`d.yaml`: expected options like `name: value`, got 'physics' (d.yaml:1:1)"},
    {"[1, 2]\n", {}, "`d.yaml`: expected options like `name: value`, got a list (d.yaml:1:1)"},
    {"mesh: [4, 3\n", {}, "`d.yaml`: not YAML: end of sequence flow not found (d.yaml:2:1)"},
    {"mesh:\n\tcells: 4\n",
     {},
     "`d.yaml`: not YAML: illegal map value (d.yaml:2:7); indent with spaces, not with tabs"},
    {good + "---\n" + good, {}, "`d.yaml`: more than one YAML document (d.yaml:3:1)"},
    {"[a]: 1\n", {}, "`d.yaml`: expected a name, got a list (d.yaml:1:1)"},
};
INSTANTIATE_TEST_SUITE_P(NotADeck, WrongDeck, testing::ValuesIn(not_a_deck));

std::vector<Case> const wrong_override{
    {good,
     {"solver.method"},
     "`solver.method`: expected name=value, with a name like `solver.method` or `mesh.cells[0]` (--set solver.method)"},
    {good,
     {"a..b=1"},
     "`a..b=1`: expected name=value, with a name like `solver.method` or `mesh.cells[0]` (--set a..b=1)"},
    {good, {"mesh.cells[5]=1"}, "`mesh.cells`: has 2 entries, counted from [0] (--set mesh.cells[5]=1)"},
    {good, {"mesh.cells[3]=1"}, "`mesh.cells`: has 2 entries, counted from [0] (--set mesh.cells[3]=1)"},
    {good, {"physics.x=1"}, "`physics`: is 'flow', not a section (--set physics.x=1)"},
    {good, {"mesh[0]=1"}, "`mesh`: is a section, not a list (--set mesh[0]=1)"},
    {good, {"mesh.cells=[1"}, "`[1`: not YAML: end of sequence flow not found (--set mesh.cells=[1)"},
    {good, {"physics="}, "`physics`: missing (d.yaml:1:1); it is required: What is solved."},
    {good, {"mesh.cels="}, "`mesh.cels`: not in the deck, so that it cannot be unset (--set mesh.cels=)"},
    {good, {"mech.cells="}, "`mech.cells`: not in the deck, so that it cannot be unset (--set mech.cells=)"},
    {good, {"physics.x="}, "`physics.x`: not in the deck, so that it cannot be unset (--set physics.x=)"},
    {good,
     {"mesh.cells[0]="},
     "`mesh.cells[0]`: an element of a list cannot be unset (--set mesh.cells[0]=); set the list"},
    {good, {"time.step=a: b"}, "`time.step`: expected a number, got 'a: b' (--set time.step=a: b)"},
    {good, {"time.step=-1"}, "`time.step`: -1 is out of range: must be above 0 s (--set time.step=-1)"},
};
INSTANTIATE_TEST_SUITE_P(WrongOverride, WrongDeck, testing::ValuesIn(wrong_override));

TEST(Deck, ReportsAllMistakesInTheOrderOfTheirPlaces) {
  EXPECT_EQ(mistakes("mesh: {cells: ten}\n"
                     "physics: flwo\n"
                     "time: {step: -1, ends: 3}\n",
                     {"titel=x", "solver.cg.iterations=0"}),
            "`mesh.cells`: expected an integer, got 'ten' (d.yaml:1:15)\n"
            "`physics`: expected one of flow, lattice, got 'flwo' (d.yaml:2:10); did you mean `flow`?\n"
            "`time.step`: -1 is out of range: must be above 0 s (d.yaml:3:14)\n"
            "`ends`: unknown in time (d.yaml:3:18); did you mean `end`?\n"
            "`titel`: unknown in the deck (--set titel=x); did you mean `title`?\n"
            "`solver.cg.iterations`: 0 is out of range: must be at least 1 (--set solver.cg.iterations=0)");
}

}  // namespace
}  // namespace halocline
