#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"
#include "physics/heat/tea_reader.hpp"

namespace halocline::heat {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// The part of a deck that a tea.in is mapped to.
Section root_section() {
  Section root("", "A run.");
  root.choice("physics", "What is solved.", {"heat"});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells.", 1, 3).at_least(1);
  mesh.reals("lower", "Begin.", 1, 3);
  mesh.reals("upper", "End.", 1, 3);
  Section& heat = root.section("heat", "Heat.");
  heat.choice("coefficient", "Of conduction.", {"density", "inverse_density"}).defaults_to("density");
  Section region("regions", "States.");
  region.choice("shape", "Shape.", {"everywhere", "rectangle", "circle", "point"});
  region.reals("lower", "Corner.", 1, 3).optional();
  region.reals("upper", "Corner.", 1, 3).optional();
  region.reals("centre", "Centre.", 1, 3).optional();
  region.real("radius", "Radius.").optional();
  region.real("density", "Density.").above(0);
  region.real("energy", "Energy.");
  heat.list(region);
  Section& time = root.section("time", "Time.");
  time.real("step", "Step.").above(0);
  time.integer("steps", "Steps.").optional();
  time.real("end", "End.").optional();
  Section& solver = root.section("solver", "Solver.");
  solver.choice("method", "Name.", {"cg", "chebyshev", "jacobi", "multigrid"}).defaults_to("cg");
  for (std::string const name : {"cg", "chebyshev", "jacobi", "multigrid"}) {
    Section& method = solver.section(name, "Solver.");
    method.real("relative_tolerance", "Tolerance.").defaults_to(1e-8);
    method.integer("iterations", "Most.").defaults_to(7);
    if (name == "cg") method.choice("preconditioner", "Its own.", {"none", "jacobi"}).defaults_to("none");
    if (name == "chebyshev") method.integer("presteps", "First.").defaults_to(20);
  }
  root.section("output", "Output.").section("snapshots", "Snapshots.").integer("interval", "Steps.").defaults_to(1);
  return root;
}

Options read(std::string const& text, std::vector<std::string> const& overrides = {}) {
  return Deck("tea.in", text, overrides_by_set(overrides), {tea_format()}).read(root_section());
}

std::string mistakes(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)read(text, overrides);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

std::string const rest =
    "x_cells=4\ny_cells=3\nxmin=0\nymin=0\nxmax=1\nymax=1\ninitial_timestep=0.004\nend_step=10\n*endtea\n";
std::string const good = "*tea\nstate 1 density=100.0 energy=0.0001\n" + rest;

TEST(TeaDeck, IsReadAsTheSameProblem) {
  Options const deck = read(
      "! a deck of the benchmark\n"
      "words before the deck mean nothing\n"
      " *Tea\n"
      "state 1 density=1.0d2 energy=0.0001  ! background\n"
      "state 3 density=0.3 energy=3 geometry=circle xmin=5 ymin=6 radius=1.5\n"
      "state 2 density=0.1 energy 25.0 geometry=rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0\n"
      "State 4 Density=0.4 energy=4 geometry=point xmin=7 ymin=8\n"
      "x_cells = 250 y_cells=125\r\n"
      "xmin=0.0\nymin=1.0\nxmax=10.0\nymax=11.0\n"
      "initial_timestep 4.0D-3\nend_step=10\n"
      "tl_max_iters=10000\ntl_use_chebyshev\ntl_eps 1.0e-15\ntl_ch_cg_presteps=30\n"
      "tl_preconditioner_type=jac_diag\ntl_coefficient_inverse_density\n"
      "visit_frequency=5\nprofiler_on\ntest_problem 2\n"
      "*endtea\n"
      "words after it neither\n");
  EXPECT_EQ(deck.choice("physics"), "heat");
  EXPECT_EQ(deck.section("mesh").integers("cells"), (std::vector<std::int64_t>{250, 125}));
  EXPECT_EQ(deck.section("mesh").reals("lower"), (std::vector<double>{0, 1}));
  EXPECT_EQ(deck.section("mesh").reals("upper"), (std::vector<double>{10, 11}));
  EXPECT_EQ(deck.section("time").real("step"), 0.004);
  EXPECT_EQ(deck.section("time").integer("steps"), 10);
  EXPECT_EQ(deck.section("solver").choice("method"), "chebyshev");
  for (std::string const method : {"cg", "chebyshev", "jacobi", "multigrid"}) {
    EXPECT_EQ(deck.section("solver").section(method).real("relative_tolerance"), 1e-15);
    EXPECT_EQ(deck.section("solver").section(method).integer("iterations"), 10000);
  }
  EXPECT_EQ(deck.section("solver").section("chebyshev").integer("presteps"), 30);
  EXPECT_EQ(deck.section("solver").section("cg").choice("preconditioner"), "jacobi");
  EXPECT_EQ(deck.section("output").section("snapshots").integer("interval"), 5);
  EXPECT_EQ(deck.section("heat").choice("coefficient"), "inverse_density");

  std::vector<Options> const regions = deck.section("heat").list("regions");
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[0].choice("shape"), "everywhere");
  EXPECT_EQ(regions[0].real("density"), 100);
  EXPECT_EQ(regions[1].choice("shape"), "rectangle");
  EXPECT_EQ(regions[1].reals("lower"), (std::vector<double>{0, 1}));
  EXPECT_EQ(regions[1].reals("upper"), (std::vector<double>{1, 2}));
  EXPECT_EQ(regions[1].real("energy"), 25);
  EXPECT_EQ(regions[2].choice("shape"), "circle");
  EXPECT_EQ(regions[2].reals("centre"), (std::vector<double>{5, 6}));
  EXPECT_EQ(regions[2].real("radius"), 1.5);
  EXPECT_EQ(regions[3].choice("shape"), "point");
  EXPECT_EQ(regions[3].location("density").text(), "tea.in:7:17");
}

TEST(TeaDeck, ChangesByItsNamesInYaml) {
  Options const deck = read(good, {"solver.method=jacobi", "mesh.cells=[9, 8]", "heat.regions[0].density=2"});
  EXPECT_EQ(deck.section("solver").choice("method"), "jacobi");
  EXPECT_EQ(deck.section("mesh").integers("cells"), (std::vector<std::int64_t>{9, 8}));
  EXPECT_EQ(deck.section("heat").list("regions")[0].real("density"), 2);
}

TEST(TeaDeck, WritesNoFieldsUnlessAsked) {
  EXPECT_EQ(read(good).section("output").section("snapshots").integer("interval"), 0);
}

TEST(TeaDeck, EndsAtWhatComesFirst) {
  std::string const start = good.substr(0, good.find("*endtea"));
  Options const by_steps = read(start + "end_time=0.05\n").section("time");
  EXPECT_EQ(by_steps.integer("steps"), 10);
  EXPECT_FALSE(by_steps.has("end"));
  // Whole steps of 0.004, until the end is reached or passed.
  for (auto const& [end, steps] : {std::pair{"0.03", 8}, {"0.028", 7}, {"0.0281", 8}, {"0.001", 1}}) {
    Options const by_time = read(start + "end_time=" + end + "\n").section("time");
    EXPECT_EQ(by_time.integer("steps"), steps) << end;
    EXPECT_FALSE(by_time.has("end"));
  }
}

struct Case {
  std::string text;
  std::string message;
};

class WrongTeaDeck : public testing::TestWithParam<Case> {};

TEST_P(WrongTeaDeck, IsRefusedInTheseWords) { EXPECT_EQ(mistakes(GetParam().text), GetParam().message); }

std::string const background = "*tea\nstate 1 density=100.0 energy=0.0001\n";

std::vector<Case> const cases{
    {background + "x_cell=5\n" + rest, "`x_cell`: unknown in a tea.in (tea.in:3:1); did you mean `x_cells`?"},
    {background + "tl_use_ppcg\n" + rest,
     "`tl_use_ppcg`: not available here (tea.in:3:1); use tl_use_cg, tl_use_chebyshev or tl_use_jacobi"},
    {background + "tl_eps\n" + rest, "`tl_eps`: its value is missing (tea.in:3:1)"},
    {background + "tl_eps 1e-400\ntl_max_iters=0\n" + rest,
     "`tl_eps`: expected a number of at least 0 and below 1, got '1e-400' (tea.in:3:8)\n"
     "`tl_max_iters`: expected an integer of at least 1, got '0' (tea.in:4:14)"},
    {background + "tl_max_iters=2.5\n" + rest,
     "`tl_max_iters`: expected an integer of at least 1, got '2.5' (tea.in:3:14)"},
    {background + "y_cells=2.5\n" + rest,
     "`mesh.cells[1]`: expected an integer, got '2.5' (tea.in:3:9)\n"
     "`y_cells`: given twice (tea.in:5:1); first at tea.in:3:9"},
    {background + "x_cells=4\n*endtea\n",
     "`y_cells`: missing (tea.in:1:1); it is required\n"
     "`xmin`: missing (tea.in:1:1); it is required\n"
     "`ymin`: missing (tea.in:1:1); it is required\n"
     "`xmax`: missing (tea.in:1:1); it is required\n"
     "`ymax`: missing (tea.in:1:1); it is required\n"
     "`initial_timestep`: missing (tea.in:1:1); it is required\n"
     "`end_step`: missing (tea.in:1:1); give end_step or end_time"},
    {background + "tl_use_cg\ntl_use_jacobi\n" + rest, "`tl_use_jacobi`: given together with tl_use_cg (tea.in:4:1)"},
    {background + "tl_preconditioner_type=jac_block\n" + rest,
     "`tl_preconditioner_type`: expected none or jac_diag, got 'jac_block' (tea.in:3:24)"},
    {"*tea\n" + rest, "`state`: missing (tea.in:1:1); state 1, the background, is required"},
    {background + "state 3 density=1 energy=1 geometry=point xmin=1 ymin=1\n" + rest,
     "`state 3`: state 2 is missing (tea.in:3:1); states count from 1, the background"},
    {background + "state 1 density=1 energy=1\n" + rest, "`state 1`: given twice (tea.in:3:1); first at tea.in:2:1"},
    {background + "state 2 densty=1 energy=1 geometry=point xmin=1 ymin=1\n" + rest,
     "`state 2`: its density is missing (tea.in:3:1)\n"
     "`densty`: unknown in a state of a tea.in (tea.in:3:9); did you mean `density`?"},
    {background + "state 2 density=-1 energy=1 geometry=point xmin=1 ymin=1\n" + rest,
     "`heat.regions[1].density`: -1 is out of range: must be above 0 (tea.in:3:17)"},
    {background + "state 2 density=1 energy=1\n" + rest,
     "`state 2`: its geometry is missing (tea.in:3:1); known: rectangle, circle, point"},
    {background + "state 2 density=1 energy=1 geometry=circel xmin=1 ymin=1 radius=1\n" + rest,
     "`state 2`: unknown geometry 'circel' (tea.in:3:37); did you mean `circle`?"},
    {background + "state 2 density=1 energy=1 geometry=circle xmin=1 ymin=1\n" + rest,
     "`state 2`: a circle needs radius (tea.in:3:37)"},
    {background + "state 2 density=1 energy=1 geometry=point xmin=1 ymin=1 radius=2\n" + rest,
     "`state 2`: is a point, and has no radius (tea.in:3:64)"},
    {"*tea\nstate 1 density=1 energy=1 geometry=rectangle\n" + rest,
     "`state 1`: is the background, everywhere, and has no geometry (tea.in:2:37)"},
    {background + "end_time=soon\n" + rest, "`time.end`: expected a number, got 'soon' (tea.in:3:10)"},
    {background + "state density=1\n" + rest,
     "`state`: its number is missing (tea.in:3:1); write `state 1 density=... energy=...`"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongTeaDeck, testing::ValuesIn(cases));

TEST(TeaDeck, IsKnownByItsFirstWordAloneWhateverItsName) {
  EXPECT_TRUE(tea_format().recognises("! a comment\n  *TEA\n"));
  EXPECT_FALSE(tea_format().recognises("physics: heat  # not a *tea\n"));
}

TEST(UntrustedTea, ChangedDecksAreReadOrRefused) {
  std::mt19937 random(1);
  std::string const signs = "{}[]:,-&*?|>'\"%@`!#\n\t \\x0<.~=";
  for (int n = 0; n < 2500; ++n) {
    std::string text = "*tea\nstate 1 density=1 energy=2\nx_cells=3\nxmin 0\ntl_use_cg\n*endtea\n";
    for (int change = 0; change < 1 + n % 8; ++change) {
      char const sign = n % 3 == 0 ? static_cast<char>(random() % 256) : signs[random() % signs.size()];
      text[random() % text.size()] = sign;
    }
    EXPECT_NO_THROW((void)mistakes(text)) << text;
  }
}

TEST(UntrustedTea, WordsAreCountedAndFiftyShown) {
  std::string text = "*tea\n";
  for (int n = 0; n < 500000; ++n) text += "x\n";
  std::string const said = mistakes(text);
  EXPECT_EQ(static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n')), Mistakes::most_shown);
  EXPECT_THAT(said, EndsWith(" more mistakes"));
  EXPECT_LT(said.size(), 50000U);
}

TEST(UntrustedTea, StatesMayHaveAnyNumber) {
  EXPECT_THAT(mistakes("*tea\nstate 9223372036854775807 density=1 energy=1\n"),
              HasSubstr("`state 9223372036854775807`: state 1 is missing (tea.in:2:1); states count from 1"));
}

}  // namespace
}  // namespace halocline::heat
