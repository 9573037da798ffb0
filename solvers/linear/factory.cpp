#include "solvers/linear/factory.hpp"

#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
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
#include "solvers/multigrid/factory.hpp"

namespace halocline {

namespace {

template <class Entry>
std::vector<Section> sections_of(Registry<Entry> const& registry) {
  std::vector<Section> all;
  for (std::string const& name : registry.names()) all.push_back(registry.find(name).declare());
  return all;
}

void declare_flexible(Section& section, std::string const& cost) {
  section
      .boolean("flexible",
               "Whether the preconditioner may change from iteration to iteration, as an inner iteration with its own "
               "stopping criterion does; this takes " +
                   cost)
      .defaults_to(false);
}

SolverEntry conjugate_gradients_entry() {
  std::string const sentence = "Conjugate gradients, for symmetric positive definite operators.";
  auto const declare = [sentence] {
    Section section("cg", sentence);
    declare_criteria(section);
    declare_flexible(section, "one more vector.");
    section
        .choice("norm",
                "Norm of the residual r that the tolerances apply to. two: the 2-norm; natural: sqrt(r . M^-1 r) with "
                "the preconditioner M, which approximates the error in the energy norm if M is a good preconditioner.",
                std::vector<std::string>{"two", "natural"})
        .defaults_to(std::string("two"));
    section
        .boolean("replace_residual",
                 "Whether b - A x replaces the residual of the recurrence before rounding errors separate the two, so "
                 "that solves to nearly machine precision need no restart.")
        .defaults_to(false);
    section
        .choice("reductions",
                "Global reductions that an iteration waits for; fewer are meant for many ranks. two: standard "
                "conjugate gradients; one: the variant of Chronopoulos and Gear, with one more vector; hidden: one "
                "reduction, overlapped with the preconditioner and the operator (pipelined, Ghysels and Vanroose), "
                "with three to five more vectors and, at tight tolerances, more iterations.",
                std::vector<std::string>{"two", "one", "hidden"})
        .defaults_to(std::string("two"));
    declare_preconditioner(section);
    section.check([](Options const& given, Mistakes& mistakes) {
      bool const two = given.choice("reductions") == "two";
      if (!two) {
        check_start(given, mistakes);
        for (std::string const option : {"norm", "replace_residual"}) {
          if (!given.given(option)) continue;
          add_mistake(given, option, "only conjugate gradients with two reductions an iteration have it", mistakes,
                      "leave it, or use `reductions: two`");
        }
      }
      if (!given.boolean("flexible")) {
        return check_symmetric_cycle(given, mistakes, two ? "use V or W, or `flexible: true`" : "use V or W");
      }
      if (two) return;
      add_mistake(given, "flexible",
                  "with one reduction an iteration, the preconditioner must be the same one throughout", mistakes,
                  "leave it false, or use `reductions: two`");
    });
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<LinearSolver> {
    std::string const reductions = options.choice("reductions");
    auto preconditioner = make_preconditioner(options);
    if (reductions == "one") return std::make_unique<SingleReductionCg>(criteria(options), std::move(preconditioner));
    if (reductions == "hidden") return std::make_unique<PipelinedCg>(criteria(options), std::move(preconditioner));
    CgOptions const own{.flexible = options.boolean("flexible"),
                        .norm = options.choice("norm") == "natural" ? ResidualNorm::natural : ResidualNorm::two,
                        .replaces_residuals = options.boolean("replace_residual")};
    return std::make_unique<ConjugateGradients>(criteria(options), std::move(preconditioner), own);
  };
  return {"cg",
          sentence,
          declare,
          create,
          OperatorNeed::positive_definite,
          {.use = "The first choice for diffusion: few vectors, and no Krylov method needs fewer applications of the "
                  "operator for the same error in the energy norm.",
           .reference = "Hestenes and Stiefel, 1952, Journal of Research of the National Bureau of Standards 49; Saad, "
                        "Iterative Methods for Sparse Linear Systems, 2nd edition, section 9.2"}};
}

SolverEntry gmres_entry() {
  std::string const sentence =
      "Generalised minimal residuals with restarts, for any operator; the residual norm never increases.";
  auto const declare = [sentence] {
    Section section("gmres", sentence);
    declare_criteria(section);
    section.integer("restart", "Number of iterations between restarts; each iteration stores one more vector.")
        .defaults_to(std::int64_t{30})
        .at_least(1)
        .at_most(1000);
    declare_flexible(section, "two vectors per iteration instead of one.");
    section
        .choice("orthogonalisation",
                "Gram-Schmidt orthogonalisation of the basis. classical_twice: two global reductions per iteration; "
                "modified: one per basis vector.",
                std::vector<std::string>{"classical_twice", "modified"})
        .defaults_to(std::string("classical_twice"));
    declare_preconditioner(section);
    section.check(check_start);
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<Gmres>(
        Gmres::Settings{.criteria = criteria(options),
                        .restart = options.integer("restart"),
                        .flexible = options.boolean("flexible"),
                        .orthogonalisation = options.choice("orthogonalisation") == "modified"
                                                 ? Orthogonalisation::modified
                                                 : Orthogonalisation::classical_twice},
        make_preconditioner(options));
  };
  return {
      "gmres",
      sentence,
      declare,
      create,
      OperatorNeed::nothing,
      {.use = "Unsymmetric operators, if there is memory for one vector per iteration up to the restart.",
       .reference = "Saad and Schultz, 1986, SIAM Journal on Scientific and Statistical Computing 7; Saad, Iterative "
                    "Methods for Sparse Linear Systems, 2nd edition, section 6.5"}};
}

SolverEntry jacobi_entry() {
  std::string const sentence = "Jacobi's iteration.";
  auto const declare = [sentence] {
    Section section("jacobi", sentence);
    declare_criteria(section, {.relative = 1e-10, .absolute = 0, .iterations = 100000});
    section.real("weight", "Weight of each step; below 1, the iteration is damped.").defaults_to(1.0).above(0).below(2);
    section
        .choice("quantity",
                "Quantity that the tolerances apply to: the residual, or the root mean square of the change in a step.",
                std::vector<std::string>{"residual", "change"})
        .defaults_to(std::string("residual"));
    section.check([](Options const& given, Mistakes& mistakes) {
      if (given.choice("quantity") != "change" || given.choice("relative_to") == "initial") return;
      add_mistake(given, "relative_to", "a change is relative to the first one", mistakes, "leave it `initial`");
    });
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<LinearSolver> {
    auto const quantity =
        options.choice("quantity") == "change" ? StoppingQuantity::change : StoppingQuantity::residual;
    return std::make_unique<Jacobi>(criteria(options), options.real("weight"), quantity);
  };
  return {"jacobi",
          sentence,
          declare,
          create,
          OperatorNeed::nothing,
          {.needs = "a diagonal D without zeros, and eigenvalues of D^-1 A between 0 and 2 / weight",
           .use = "Comparisons with programs that use it; it needs by far the most iterations.",
           .reference = "Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, section 4.1"}};
}

SolverEntry chebyshev_entry() {
  std::string const sentence = "Chebyshev's iteration, for symmetric positive definite operators.";
  auto const declare = [sentence] {
    Section section("chebyshev", sentence);
    declare_criteria(section, {.relative = 1e-10, .absolute = 0, .iterations = 10000});
    section
        .integer("presteps",
                 "Number of conjugate-gradient steps that estimate the eigenvalues before the iteration starts.")
        .defaults_to(std::int64_t{20})
        .at_least(2);
    return section;
  };
  auto const create = [](Options const& options) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<Chebyshev>(
        Chebyshev::Settings{.criteria = criteria(options), .presteps = options.integer("presteps")});
  };
  return {
      "chebyshev",
      sentence,
      declare,
      create,
      OperatorNeed::positive_definite,
      {.needs = "a diagonal without zeros",
       .use = "Many ranks, where global reductions cost more than sweeps: it needs one reduction every ten iterations.",
       .reference = "Golub and Varga, 1961, Numerische Mathematik 3; Saad, Iterative Methods for Sparse Linear "
                    "Systems, 2nd edition, section 12.3"}};
}

PreconditionerEntry jacobi_preconditioner_entry() {
  std::string const sentence = "The inverse of the diagonal.";
  return {"jacobi",
          sentence,
          [sentence] { return Section("jacobi", sentence); },
          [](Options const&) { return std::make_unique<JacobiPreconditioner>(); },
          {.needs = "a diagonal without zeros, of one sign",
           .use = "Diagonals that vary because of discontinuous coefficients or graded meshes; its cost is negligible.",
           .reference = "Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, section 10.2"}};
}

PreconditionerEntry gauss_seidel_preconditioner_entry() {
  std::string const sentence = "Symmetric Gauss-Seidel, with as many colours as the stencil or the matrix needs.";
  auto const declare = [sentence] {
    Section section("gauss_seidel", sentence);
    section.integer("sweeps", "Number of relaxations, each forward and backward.")
        .defaults_to(std::int64_t{1})
        .at_least(1)
        .at_most(100);
    return section;
  };
  auto const create = [](Options const& options) {
    return std::make_unique<GaussSeidelPreconditioner>(static_cast<int>(options.integer("sweeps")));
  };
  return {
      "gauss_seidel",
      sentence,
      declare,
      create,
      {.needs = "a diagonal without zeros, and a stencil or `assembled: true`",
       .use = "Operators that do not support coarsening, also unsymmetric ones: about half the iterations of jacobi.",
       .reference = "Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, sections 4.1 and 12.4"}};
}

PreconditionerEntry incomplete_lu_preconditioner_entry() {
  std::string const sentence =
      "Incomplete LU factorisation of each rank's part of the operator, assembled as a matrix.";
  auto const declare = [sentence] {
    Section section("ilu", sentence);
    section
        .integer(
            "fill",
            "Level of fill: the highest level of fill-in entries that are kept; 0: only the entries of the matrix.")
        .defaults_to(std::int64_t{0})
        .at_least(0)
        .at_most(10);
    return section;
  };
  auto const create = [](Options const& options) {
    return std::make_unique<IncompleteLuPreconditioner>(static_cast<int>(options.integer("fill")));
  };
  return {"ilu",
          sentence,
          declare,
          create,
          {.needs = "a diagonal without zeros, and memory for the factors",
           .use = "Operators without multigrid or on which multigrid fails, also unsymmetric and indefinite ones, on "
                  "few ranks: the factors leave out the coupling between ranks.",
           .reference = "Meijerink and van der Vorst, 1977, Mathematics of Computation 31; Saad, Iterative Methods for "
                        "Sparse Linear Systems, 2nd edition, section 10.3"}};
}

PreconditionerEntry chebyshev_preconditioner_entry() {
  std::string const sentence = "A Chebyshev polynomial of the operator.";
  auto const declare = [sentence] {
    Section section("chebyshev", sentence);
    section.integer("degree", "Number of steps of Chebyshev's iteration.")
        .defaults_to(std::int64_t{4})
        .at_least(1)
        .at_most(100);
    section.real("ratio", "Ratio of the largest to the smallest eigenvalue of the interval that the polynomial damps.")
        .defaults_to(30.0)
        .above(1);
    return section;
  };
  auto const create = [](Options const& options) {
    return std::make_unique<ChebyshevPreconditioner>(options.integer("degree"), options.real("ratio"));
  };
  return {"chebyshev",
          sentence,
          declare,
          create,
          {.needs = "a symmetric positive definite operator, and a diagonal without zeros",
           .use = "Many ranks, and operators that do not support coarsening: fewer iterations and so fewer global "
                  "reductions, for more applications of the operator.",
           .reference = "Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, section 12.3"}};
}

/// Whether the solver is, or is preconditioned by, the method of this name.
bool asks_for(std::string const& name, Options const& solver) {
  std::string const method = solver.choice("method");
  if (method == name) return true;
  Options const chosen = solver.section(method);
  return chosen.declares("preconditioner") && chosen.choice("preconditioner") == name;
}

Section verify_section() {
  Section verify("verify",
                 "Checks whether the operator has the properties that the method needs, and estimates the error of "
                 "each solution; summary.json records the results. A solve may take several times as long. `verify: "
                 "true` is short for `verify: {enabled: true}`, and any other option in this section enables it, too.");
  verify.boolean("enabled", "Whether solves are verified.").defaults_to(false);
  verify.real("error", "Largest accepted estimate of a solution's error, relative to the solution (2-norms).")
      .defaults_to(1e-2)
      .above(0);
  verify
      .choice("on_failure",
              "Action if the estimated error is larger, unreliable or not available. warn: a warning is printed; fail: "
              "the solve ends as unverified, and the run with exit code 3.",
              std::vector<std::string>{"warn", "fail"})
      .defaults_to(std::string("warn"));
  verify.switched_by("enabled");
  return verify;
}

bool verifies(Options const& solver) { return solver.section("verify").boolean("enabled"); }

ErrorDemand error_demand(Options const& verify) {
  return {.error = verify.real("error"), .fails = verify.choice("on_failure") == "fail"};
}

}  // namespace

SolverEntry preconditioned_entry(std::string name, std::string sentence, OperatorNeed need, MethodNotes notes,
                                 MakeKrylov make) {
  auto const declare = [name, sentence, need] {
    Section section(name, sentence);
    declare_criteria(section);
    declare_preconditioner(section);
    section.check([need](Options const& given, Mistakes& mistakes) {
      if (need != OperatorNeed::nothing) check_symmetric_cycle(given, mistakes, "use V or W");
      check_start(given, mistakes);
    });
    return section;
  };
  auto const create = [make = std::move(make)](Options const& options) {
    return make(criteria(options), make_preconditioner(options));
  };
  return {std::move(name), std::move(sentence), declare, create, need, std::move(notes)};
}

Registry<SolverEntry>& solvers() {
  static Registry<SolverEntry> registry = [] {
    Registry<SolverEntry> built_in("solver");
    built_in.add(conjugate_gradients_entry());
    built_in.add(preconditioned_entry<Minres>(
        "minres", "Minimal residuals, for symmetric operators, also indefinite ones.", OperatorNeed::symmetric,
        {.use = "Symmetric operators with eigenvalues of both signs, which cg refuses.",
         .reference =
             "Paige and Saunders, 1975, SIAM Journal on Numerical Analysis 12; Greenbaum, Iterative Methods for "
             "Solving Linear Systems, section 2.5"}));
    built_in.add(gmres_entry());
    built_in.add(preconditioned_entry<BiCgStab>(
        "bicgstab",
        "Stabilised biconjugate gradients, for any operator, with few vectors; the residual norm may increase "
        "abruptly.",
        OperatorNeed::nothing,
        {.use = "Unsymmetric operators that need more iterations than gmres can store vectors.",
         .reference = "van der Vorst, 1992, SIAM Journal on Scientific and Statistical Computing 13; Saad, Iterative "
                      "Methods for Sparse Linear Systems, 2nd edition, section 7.4"}));
    built_in.add(jacobi_entry());
    built_in.add(chebyshev_entry());
    built_in.add(multigrid_solver_entry());
    return built_in;
  }();
  return registry;
}

OperatorNeed need_of_solver(std::string const& name) { return solvers().find(name).need; }

Registry<PreconditionerEntry>& preconditioners() {
  static Registry<PreconditionerEntry> registry = [] {
    Registry<PreconditionerEntry> built_in("preconditioner");
    built_in.add(jacobi_preconditioner_entry());
    built_in.add(chebyshev_preconditioner_entry());
    built_in.add(gauss_seidel_preconditioner_entry());
    built_in.add(incomplete_lu_preconditioner_entry());
    built_in.add(multigrid_preconditioner_entry());
    return built_in;
  }();
  return registry;
}

Section solver_section(std::string const& default_method) {
  Section section("solver", "How linear systems are solved.");
  section.choice("method", "The linear solver.", [] { return solvers().names(); }).defaults_to(default_method);
  section
      .boolean("assembled",
               "Whether the operator is assembled as a matrix in compressed-row (CRS) format instead of being applied "
               "as a stencil.")
      .defaults_to(false);
  section
      .choice("null_space",
              "Treatment of a right-hand side with a nonzero mean if the operator is singular, so that any constant "
              "could be added to a solution. keep: there is no solution, and the solve ends as inconsistent; project: "
              "the mean is subtracted.",
              std::vector<std::string>{"keep", "project"})
      .defaults_to(std::string("keep"));
  section.section(verify_section());
  section.sections("method", [] { return sections_of(solvers()); });
  section.check([](Options const& given, Mistakes& mistakes) {
    if (!given.boolean("assembled")) return;
    if (asks_for("multigrid", given)) {
      add_mistake(given, "assembled", "a matrix has no coarser levels, which multigrid is made of", mistakes,
                  "leave it false, or use another preconditioner");
    }
  });
  return section;
}

void declare_preconditioner(Section& section) {
  auto const names = [] {
    std::vector<std::string> all = preconditioners().names();
    all.insert(all.begin(), "none");
    return all;
  };
  section.choice("preconditioner", "Preconditioner of the method.", names).defaults_to(std::string("none"));
  section.sections("preconditioner", [] { return sections_of(preconditioners()); });
}

void declare_criteria(Section& section, Criteria const& defaults) {
  section
      .real("relative_tolerance", "Residual at which a solve ends, relative to the reference that `relative_to` names.")
      .defaults_to(defaults.relative)
      .at_least(0)
      .below(1);
  section
      .choice(
          "relative_to",
          "Reference of `relative_tolerance`. initial: the residual of the initial guess; right_hand_side: the norm of "
          "the right-hand side, so that a good initial guess, such as that of a time step, saves iterations.",
          std::vector<std::string>{"initial", "right_hand_side"})
      .defaults_to(std::string("initial"));
  section.real("absolute_tolerance", "Absolute residual (2-norm) at which a solve ends.")
      .defaults_to(defaults.absolute)
      .at_least(0);
  section.integer("iterations", "Largest number of iterations of one solve.")
      .defaults_to(defaults.iterations)
      .at_least(1);
}

std::unique_ptr<LinearSolver> make_solver(Options const& solver) {
  std::string const method = solver.choice("method");
  auto made = solvers().find(method).create(solver.section(method));
  bool const assembled = solver.boolean("assembled");
  if (assembled) made = std::make_unique<AssembledSolver>(std::move(made));
  std::string const name = (assembled ? "assembled " : "") + method;
  auto const part = solver.choice("null_space") == "project" ? NullSpacePart::project : NullSpacePart::keep;
  made = std::make_unique<NullSpaceSolver>(std::move(made), name, part);
  if (!verifies(solver)) return std::make_unique<ContrastSolver>(std::move(made));
  return std::make_unique<VerifiedSolver>(std::move(made), name, need_of_solver(method), part,
                                          error_demand(solver.section("verify")));
}

std::unique_ptr<Preconditioner> make_preconditioner(Options const& section) {
  std::string const name = section.choice("preconditioner");
  if (name == "none") return nullptr;
  return preconditioners().find(name).create(section.section(name));
}

Criteria criteria(Options const& section) {
  bool const of_source = section.choice("relative_to") == "right_hand_side";
  return {.relative = section.real("relative_tolerance"),
          .absolute = section.real("absolute_tolerance"),
          .iterations = section.integer("iterations"),
          .relative_to = of_source ? RelativeTo::right_hand_side : RelativeTo::initial_residual};
}

}  // namespace halocline
