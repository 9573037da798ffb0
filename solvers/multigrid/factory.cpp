#include "solvers/multigrid/factory.hpp"

#include <cstdint>
#include <vector>

#include "framework/deck/validation.hpp"
#include "solvers/multigrid/refinement.hpp"

namespace halocline {

void declare_multigrid(Section& section) {
  section
      .choice("cycle",
              "Type of cycle. V: each level is corrected once by the next coarser one; W: twice, for problems on which "
              "V-cycles need many iterations; F: by an F-cycle and then a V-cycle, nearly as effective as a W-cycle "
              "with fewer visits to coarse levels, but not symmetric.",
              std::vector<std::string>{"V", "W", "F"})
      .defaults_to(std::string("V"));
  section
      .choice("start",
              "First iteration of a solve. cycle: a cycle like all others; full: full multigrid, which solves the "
              "problem on all levels, from the coarsest to the finest.",
              std::vector<std::string>{"cycle", "full"})
      .defaults_to(std::string("cycle"));
  section
      .integer("start_cycles",
               "Number of cycles on each level of full multigrid. Two reduce the error below that of the "
               "discretisation where one does not: in 3D with several kinds of boundary conditions, and where "
               "convergence takes many iterations.")
      .defaults_to(std::int64_t{1})
      .at_least(1)
      .at_most(10);
  std::string about_smoothers;
  for (std::string const& name : smoothers().names()) {
    about_smoothers += (about_smoothers.empty() ? "" : "; ") + name + ": " + smoothers().find(name).sentence;
  }
  section
      .choice("smoother",
              "Smoother of each level, which damps the oscillatory part of the error. " + about_smoothers +
                  ". Where an operator has no colouring, chebyshev takes the place of another.",
              smoothers().names())
      .defaults_to(SmootherSettings().name);
  section
      .choice("precision",
              "Precision of the cycles. run: that of the run; single: single precision, which halves the memory "
              "traffic of cycles in double precision and is sufficient for them. Solutions lose no accuracy: residuals "
              "are computed in the precision of the run.",
              std::vector<std::string>{"run", "single"})
      .defaults_to(std::string("run"));
  section
      .integer(
          "sweeps",
          "Number of smoothing steps, or degree of the polynomial, before and again after each coarse-grid correction.")
      .defaults_to(std::int64_t{2})
      .at_least(1)
      .at_most(20);
  section.integer("levels", "Largest number of levels; 0: as many as the operator supports.")
      .defaults_to(std::int64_t{0})
      .at_least(0)
      .at_most(64);
  section
      .choice("bottom", "Solver of the coarsest level, if that has more than one unknown.",
              std::vector<std::string>{"smoother", "cg"})
      .defaults_to(std::string("smoother"));
  section
      .integer("bottom_sweeps", "Number of smoothing steps on the coarsest level, forward and then as many backward.")
      .defaults_to(std::int64_t{8})
      .at_least(1)
      .at_most(1000);
}

MultigridSettings multigrid_settings(Options const& section) {
  MultigridSettings settings;
  std::string const cycle = section.choice("cycle");
  settings.cycle = cycle == "W" ? CycleShape::w : cycle == "F" ? CycleShape::f : CycleShape::v;
  settings.smoother.name = section.choice("smoother");
  settings.smoother.is_asked_for = section.given("smoother");
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
  add_mistake(multigrid, "start", "the method has no separate first iteration", mistakes,
              "use `cycle`, or the method cg with `reductions: two`, or multigrid");
}

namespace {

constexpr char const* reference =
    "Trottenberg, Oosterlee and Schüller, Multigrid, 2001, chapter 2; Briggs, Henson and McCormick, A Multigrid "
    "Tutorial, 2nd edition, 2000, chapter 3";

}  // namespace

SolverEntry multigrid_solver_entry() {
  std::string const sentence = "Cycles of geometric multigrid, for operators that support coarsening.";
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
          {.needs = "an operator that supports coarsening (not with `assembled: true`)",
           .use = "Large problems with smooth coefficients: the number of iterations hardly grows with the mesh.",
           .reference = reference}};
}

PreconditionerEntry multigrid_preconditioner_entry() {
  std::string const sentence = "One cycle of geometric multigrid, for operators that support coarsening.";
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
          {.needs = "an operator that supports coarsening; with cg and minres a symmetric positive definite one",
           .use = "The first choice for large diffusion problems, also with discontinuous coefficients.",
           .reference = reference}};
}

}  // namespace halocline
