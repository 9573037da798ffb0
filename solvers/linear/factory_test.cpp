#include "solvers/linear/factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/assembled_solver.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/contrast_solver.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/jacobi.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/null_space_solver.hpp"
#include "solvers/linear/pipelined_cg.hpp"
#include "solvers/linear/single_reduction_cg.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/verified_solver.hpp"
#include "solvers/multigrid/refinement.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Options read_solver(std::string const& text) {
  Section root("deck", "A deck of a solver alone.");
  root.section(solver_section());
  return Deck("test.yaml", text).read(root).section("solver");
}

template <class Solver>
bool makes(std::string const& text) {
  auto const made = make_solver(read_solver(text));
  auto const* const outer = dynamic_cast<ContrastSolver const*>(made.get());
  if (outer == nullptr) return dynamic_cast<Solver const*>(made.get()) != nullptr;
  auto const& around = dynamic_cast<NullSpaceSolver const&>(outer->inner());
  return dynamic_cast<Solver const*>(&around.inner()) != nullptr;
}

TEST(SolverFactory, ReadsCriteria) {
  Options const cg = read_solver(
                         "solver: {cg: {relative_tolerance: 1e-3, absolute_tolerance: 2, iterations: 7, relative_to: "
                         "right_hand_side}}")
                         .section("cg");
  Criteria const read = criteria(cg);
  EXPECT_EQ(read.target(1, 1e6), 1e3);
  EXPECT_EQ(read.target(1e6, 1), 2);
  EXPECT_EQ(read.iterations, 7);
  EXPECT_EQ(criteria(read_solver("solver: {cg: {relative_tolerance: 1e-3}}").section("cg")).target(1e6, 1), 1e3);
}

TEST(SolverFactory, MakesWhatTheDeckNames) {
  EXPECT_TRUE(makes<ConjugateGradients>("solver: {}"));
  EXPECT_TRUE(makes<ConjugateGradients>("solver: {method: cg, cg: {preconditioner: jacobi}}"));
  EXPECT_TRUE(makes<ConjugateGradients>("solver: {cg: {reductions: two, flexible: true, preconditioner: jacobi}}"));
  EXPECT_TRUE(makes<SingleReductionCg>("solver: {cg: {reductions: one}}"));
  EXPECT_FALSE(makes<PipelinedCg>("solver: {cg: {reductions: one}}"));
  EXPECT_TRUE(makes<PipelinedCg>("solver: {cg: {reductions: hidden, preconditioner: jacobi}}"));
  EXPECT_TRUE(makes<Jacobi>("solver: {method: jacobi, jacobi: {weight: 0.5, quantity: change}}"));
  EXPECT_TRUE(makes<Minres>("solver: {method: minres, minres: {preconditioner: jacobi}}"));
  EXPECT_TRUE(makes<BiCgStab>("solver: {method: bicgstab}"));
  EXPECT_TRUE(
      makes<Gmres>("solver: {method: gmres, gmres: {restart: 5, flexible: true, orthogonalisation: modified}}"));
  EXPECT_TRUE(makes<Chebyshev>("solver: {method: chebyshev, chebyshev: {presteps: 30}}"));
}

TEST(SolverFactory, AssemblesWhereTheDeckAsksForIt) {
  EXPECT_TRUE(makes<AssembledSolver>("solver: {assembled: true}"));
  EXPECT_FALSE(makes<AssembledSolver>("solver: {assembled: false}"));
}

TEST(SolverFactory, VerifiesWhereTheDeckAsksForIt) {
  EXPECT_TRUE(makes<VerifiedSolver>("solver: {verify: true}"));
  EXPECT_TRUE(makes<VerifiedSolver>("solver: {verify: true, assembled: true, method: gmres}"));
  EXPECT_FALSE(makes<VerifiedSolver>("solver: {}"));
}

TEST(SolverFactory, EveryMethodSaysWhatItNeeds) {
  for (char const* const name : {"cg", "chebyshev", "multigrid"}) {
    EXPECT_EQ(need_of_solver(name), OperatorNeed::positive_definite) << name;
  }
  EXPECT_EQ(need_of_solver("minres"), OperatorNeed::symmetric);
  for (char const* const name : {"gmres", "bicgstab", "jacobi"})
    EXPECT_EQ(need_of_solver(name), OperatorNeed::nothing) << name;
}

TEST(SolverFactory, EveryMethodSaysWhatItIsGoodFor) {
  auto const told = [](MethodNotes const& notes) { return !notes.reference.empty() && notes.use.ends_with('.'); };
  for (char const* const name : {"bicgstab", "cg", "chebyshev", "gmres", "jacobi", "minres", "multigrid"}) {
    EXPECT_TRUE(told(solvers().find(name).notes)) << name;
  }
  for (std::string const& name : preconditioners().names()) {
    EXPECT_TRUE(told(preconditioners().find(name).notes)) << name;
    EXPECT_FALSE(preconditioners().find(name).notes.needs.empty()) << name;
  }
}

TEST(SolverFactory, MultigridNeedsMoreThanAMatrix) {
  std::string const refused =
      "`solver.assembled`: a matrix has no coarser levels, which multigrid is made of "
      "(test.yaml:1:21); leave it false, or use another preconditioner";
  for (std::string const text :
       {"solver: {assembled: true, cg: {preconditioner: multigrid}}", "solver: {assembled: true, method: multigrid}"}) {
    EXPECT_THAT([&] { (void)read_solver(text); }, ThrowsMessage<InputError>(refused)) << text;
  }
  EXPECT_TRUE(makes<AssembledSolver>("solver: {assembled: true, method: jacobi, cg: {preconditioner: multigrid}}"));
  EXPECT_TRUE(makes<MultigridRefinement>("solver: {method: multigrid, multigrid: {precision: single}}"));
}

TEST(SolverFactory, MatricesHavePreconditionersOfTheirOwn) {
  for (std::string const name : {"gauss_seidel", "ilu"}) {
    EXPECT_TRUE(makes<AssembledSolver>("solver: {assembled: true, cg: {preconditioner: " + name + "}}")) << name;
  }
  EXPECT_TRUE(makes<Gmres>("solver: {method: gmres, gmres: {preconditioner: ilu, ilu: {fill: 2}}}"));
  EXPECT_THAT([&] { (void)read_solver("solver: {cg: {preconditioner: ilu, ilu: {fill: -1}}}"); },
              ThrowsMessage<InputError>(testing::HasSubstr("`solver.cg.ilu.fill`")));
}

TEST(SolverFactory, NormAndReplacementAreOfTwoReductions) {
  EXPECT_TRUE(makes<ConjugateGradients>("solver: {cg: {norm: natural, replace_residual: true}}"));
  for (std::string const option : {"norm: natural", "replace_residual: true"}) {
    EXPECT_THAT(
        [&] { (void)read_solver("solver: {cg: {" + option + ", reductions: one}}"); },
        ThrowsMessage<InputError>("`solver.cg." + option.substr(0, option.find(':')) +
                                  "`: only conjugate gradients with two reductions an iteration have it "
                                  "(test.yaml:1:" +
                                  std::to_string(17 + option.find(':')) + "); leave it, or use `reductions: two`"))
        << option;
  }
}

TEST(SolverFactory, OneReductionNeedsOnePreconditionerThroughout) {
  for (std::string const reductions : {"one", "hidden"}) {
    EXPECT_THAT([&] { (void)read_solver("solver: {cg: {flexible: true, reductions: " + reductions + "}}"); },
                ThrowsMessage<InputError>(
                    "`solver.cg.flexible`: with one reduction an iteration, the preconditioner must be the same one "
                    "throughout (test.yaml:1:25); leave it false, or use `reductions: two`"));
  }
}

TEST(SolverFactory, SymmetricMethodsNeedSymmetricCycles) {
  auto const refused = [](std::string const& text, std::string const& message) {
    EXPECT_THAT([&] { (void)read_solver("solver: {" + text + "}"); }, ThrowsMessage<InputError>(message)) << text;
  };
  std::string const what = "the method needs a symmetric preconditioner, which an F-cycle is not ";
  refused("cg: {preconditioner: multigrid, multigrid: {cycle: F}}",
          "`solver.cg.multigrid.cycle`: " + what + "(test.yaml:1:61); use V or W, or `flexible: true`");
  refused("cg: {reductions: hidden, preconditioner: multigrid, multigrid: {cycle: F}}",
          "`solver.cg.multigrid.cycle`: " + what + "(test.yaml:1:81); use V or W");
  refused("method: minres, minres: {preconditioner: multigrid, multigrid: {cycle: F}}",
          "`solver.minres.multigrid.cycle`: " + what + "(test.yaml:1:81); use V or W");
  for (std::string const text :
       {"cg: {flexible: true, preconditioner: multigrid, multigrid: {cycle: F}}",
        "cg: {preconditioner: multigrid, multigrid: {cycle: W}}", "cg: {preconditioner: jacobi, multigrid: {cycle: F}}",
        "method: gmres, gmres: {preconditioner: multigrid, multigrid: {cycle: F}}",
        "method: bicgstab, bicgstab: {preconditioner: multigrid, multigrid: {cycle: F}}",
        "method: multigrid, multigrid: {cycle: F}"}) {
    EXPECT_NE(make_solver(read_solver("solver: {" + text + "}")), nullptr) << text;
  }
}

TEST(SolverFactory, FullMultigridBeginsSolvesOfTwoMethods) {
  std::string const full = "preconditioner: multigrid, multigrid: {start: full}}}";
  for (std::string const method : {"method: minres, minres: {", "method: gmres, gmres: {",
                                   "method: bicgstab, bicgstab: {", "method: cg, cg: {reductions: one, "}) {
    EXPECT_THAT(
        [&] {
          std::string text = "solver: {";
          text.append(method).append(full);
          (void)read_solver(text);
        },
        ThrowsMessage<InputError>(
            testing::HasSubstr(".multigrid.start`: the method has no separate first iteration (test.yaml:1:")));
  }
  for (std::string const text : {"cg: {preconditioner: multigrid, multigrid: {start: full}}",
                                 "method: multigrid, multigrid: {start: full, start_cycles: 2}"}) {
    EXPECT_NE(make_solver(read_solver("solver: {" + text + "}")), nullptr) << text;
  }
}

TEST(SolverFactory, PreconditionersNestInTheirSolver) {
  Options const cg = read_solver("solver: {cg: {preconditioner: chebyshev, chebyshev: {degree: 3}}}").section("cg");
  EXPECT_EQ(cg.section("chebyshev").integer("degree"), 3);
  EXPECT_NE(dynamic_cast<ChebyshevPreconditioner*>(make_preconditioner(cg).get()), nullptr);
  EXPECT_EQ(make_preconditioner(read_solver("solver: {cg: {preconditioner: none}}").section("cg")), nullptr);
}

TEST(SolverFactory, CriteriaAreThoseOfTheDeck) {
  Criteria const given = criteria(
      read_solver("solver: {cg: {relative_tolerance: 1e-5, absolute_tolerance: 2, iterations: 7}}").section("cg"));
  EXPECT_EQ(given.relative, 1e-5);
  EXPECT_EQ(given.absolute, 2);
  EXPECT_EQ(given.iterations, 7);
}

TEST(SolverFactory, NonsenseIsRefusedByName) {
  auto const refused = [](std::string const& text, char const* part) {
    EXPECT_THAT([&] { (void)read_solver(text); }, ThrowsMessage<InputError>(HasSubstr(part))) << text;
  };
  refused("solver: {method: gc}", "cg");
  refused("solver: {cg: {iteratons: 3}}", "iterations");
  refused("solver: {cg: {iterations: 0}}", "iterations");
  refused("solver: {cg: {relative_tolerance: -1}}", "relative_tolerance");
  refused("solver: {cg: {relative_tolerance: 1}}", "relative_tolerance");
  refused("solver: {cg: {preconditioner: jacoby}}", "jacobi");
  refused("solver: {jacobi: {weight: 0}}", "weight");
  refused("solver: {chebyshev: {presteps: 1}}", "presteps");
  refused("solver: {gmres: {restart: 0}}", "restart");
  refused("solver: {gmres: {orthogonalisation: modifed}}", "modified");
}

TEST(SolverFactory, OthersCanRegister) {
  Registry<SolverEntry>& all = solvers();
  if (!all.contains("twice")) {
    all.add({"twice", "A test's own.", [] { return Section("twice", "A test's own."); },
             [](Options const&) { return std::make_unique<Jacobi>(Criteria{}); }});
  }
  EXPECT_TRUE(makes<Jacobi>("solver: {method: twice}"));
  EXPECT_THAT([&] { all.add({"cg", "", {}, {}}); }, ThrowsMessage<InputError>(HasSubstr("`cg`")));
}

}  // namespace
}  // namespace halocline
