#include "solvers/multigrid/factory.hpp"

#include <cstdint>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "solvers/multigrid/refinement.hpp"

namespace halocline {

void declare_multigrid(Section& section) {
  section
      .choice(
          "cycle",
          "V: each level is corrected once by the next coarser one; W: twice, where a V-cycle takes many iterations; "
          "F: by an F-cycle, then a V-cycle: next to a W-cycle with fewer visits of coarse levels, but not symmetric.",
          std::vector<std::string>{"V", "W", "F"})
      .defaults_to(std::string("V"));
  section
      .choice("start",
              "What the first iteration of a solve is: cycle: one like all others; full: full multigrid, which solves "
              "the problem on all levels, from the coarsest up.",
              std::vector<std::string>{"cycle", "full"})
      .defaults_to(std::string("cycle"));
  section
      .integer("start_cycles",
               "Cycles on each level of full multigrid. Two leave less error than the discretisation does where one "
               "does not: in 3D between walls of many kinds, and where iterations are many.")
      .defaults_to(std::int64_t{1})
      .at_least(1)
      .at_most(10);
  std::string about_smoothers;
  for (std::string const& name : smoothers().names()) {
    about_smoothers += (about_smoothers.empty() ? "" : "; ") + name + ": " + smoothers().find(name).sentence;
  }
  section
      .choice("smoother", "What damps the rough part of the error on each level: " + about_smoothers + ".",
              smoothers().names())
      .defaults_to(SmootherSettings().name);
  section
      .choice(
          "precision",
          "What cycles are computed in: that of the run, or single, which halves their bytes: seven digits are more "
          "than a cycle needs. No digit of a solution is lost: residuals are computed in that of the run.",
          std::vector<std::string>{"run", "single"})
      .defaults_to(std::string("run"));
  section.integer("sweeps", "Sweeps, or degree of the polynomial, on the way down and on the way up.")
      .defaults_to(std::int64_t{2})
      .at_least(1)
      .at_most(20);
  section.integer("levels", "Most levels; 0 for as many as there are.")
      .defaults_to(std::int64_t{0})
      .at_least(0)
      .at_most(64);
  section
      .choice("bottom", "What solves the coarsest level, if it has more than one unknown.",
              std::vector<std::string>{"smoother", "cg"})
      .defaults_to(std::string("smoother"));
  section.integer("bottom_sweeps", "Sweeps of the smoother, each way, on the coarsest level.")
      .defaults_to(std::int64_t{8})
      .at_least(1)
      .at_most(1000);
}

MultigridSettings multigrid_settings(Options const& section) {
  MultigridSettings settings;
  std::string const cycle = section.choice("cycle");
  settings.cycle = cycle == "W" ? CycleShape::w : cycle == "F" ? CycleShape::f : CycleShape::v;
  settings.smoother.name = section.choice("smoother");
  settings.smoother.sweeps = static_cast<int>(section.integer("sweeps"));
  settings.start = section.choice("start") == "full" ? MultigridStart::full : MultigridStart::cycle;
  settings.start_cycles = static_cast<int>(section.integer("start_cycles"));
  settings.single_precision = section.choice("precision") == "single";
  settings.levels = static_cast<int>(section.integer("levels"));
  settings.bottom = section.choice("bottom") == "cg" ? BottomSolver::conjugate_gradients : BottomSolver::smoother;
  settings.bottom_sweeps = static_cast<int>(section.integer("bottom_sweeps"));
  return settings;
}

void check_symmetric_cycle(Options const& method, Mistakes& mistakes, std::string const& advice) {
  if (method.choice("preconditioner") != "multigrid") return;
  Options const multigrid = method.section("multigrid");
  if (multigrid.choice("cycle") != "F") return;
  add_mistake(multigrid, "cycle", "the method needs a symmetric preconditioner, which an F-cycle is not", mistakes,
              advice);
}

void check_start(Options const& method, Mistakes& mistakes) {
  if (method.choice("preconditioner") != "multigrid") return;
  Options const multigrid = method.section("multigrid");
  if (multigrid.choice("start") == "cycle") return;
  add_mistake(multigrid, "start", "the method begins a solve as it goes on", mistakes,
              "take cycle, or the method cg with `reductions: two`, or multigrid");
}

namespace {

constexpr char const* reference =
    "Trottenberg, Oosterlee and Schüller, Multigrid, 2001, chapter 2; Briggs, Henson and McCormick, A Multigrid "
    "Tutorial, 2nd edition, 2000, chapter 3";

}  // namespace

SolverEntry multigrid_solver_entry() {
  std::string const sentence = "Cycles of geometric multigrid, for operators that can coarsen themselves.";
  auto const declare = [sentence] {
    Section section("multigrid", sentence);
    declare_criteria(section, {.relative = 1e-10, .absolute = 0, .iterations = 200});
    declare_multigrid(section);
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<LinearSolver> {
    MultigridSettings const settings = multigrid_settings(options);
    if (settings.single_precision) return std::make_unique<MultigridRefinement>(criteria(options), settings);
    return std::make_unique<MultigridSolver>(criteria(options), settings);
  };
  return {"multigrid",
          sentence,
          declare,
          create,
          OperatorNeed::positive_definite,
          {.needs = "coarsening by the operator itself (a matrix of `assembled` cannot)",
           .use = "Large problems with smooth coefficients: the iterations hardly grow with the mesh.",
           .reference = reference}};
}

PreconditionerEntry multigrid_preconditioner_entry() {
  std::string const sentence = "One cycle of geometric multigrid, for operators that can coarsen themselves.";
  auto const declare = [sentence] {
    Section section("multigrid", sentence);
    declare_multigrid(section);
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<Preconditioner> {
    return make_multigrid(multigrid_settings(options));
  };
  return {"multigrid",
          sentence,
          declare,
          create,
          {.needs = "a symmetric positive definite operator that can coarsen itself",
           .use = "The first choice for large problems of diffusion, also where coefficients jump.",
           .reference = reference}};
}

}  // namespace halocline
