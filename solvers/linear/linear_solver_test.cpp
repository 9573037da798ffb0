#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "framework/operator/crs_operator.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/relaxation.hpp"
#include "framework/operator/stencil_core.hpp"
#include "framework/operator/test_problem.hpp"
#include "solvers/linear/assembled_solver.hpp"
#include "solvers/linear/bicgstab.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/gmres.hpp"
#include "solvers/linear/jacobi.hpp"
#include "solvers/linear/minres.hpp"
#include "solvers/linear/pipelined_cg.hpp"
#include "solvers/linear/single_reduction_cg.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"
#include "solvers/multigrid/test_chain.hpp"

namespace halocline {
namespace {

using test_operators::DiagonalOperator;
using test_problem::make_operator;
using test_problem::values_of;
using test_problem::Wall;

struct Method {
  char const* name;
  std::function<std::unique_ptr<LinearSolver>(Criteria const&)> make;
  bool jumps = false;        ///< its residual may, so that rounding decides which iteration is the last
  bool has_colours = false;  ///< the colours of a matrix differ from those of a stencil
};

std::vector<Method> all_methods() {
  return {
      {"cg", [](Criteria const& c) { return std::make_unique<ConjugateGradients>(c); }},
      {"cg with jacobi",
       [](Criteria const& c) {
         return std::make_unique<ConjugateGradients>(c, std::make_unique<JacobiPreconditioner>());
       }},
      {"cg with gauss_seidel",
       [](Criteria const& c) {
         return std::make_unique<ConjugateGradients>(c, std::make_unique<GaussSeidelPreconditioner>(2));
       },
       false, true},
      {"cg with ilu",
       [](Criteria const& c) {
         return std::make_unique<ConjugateGradients>(c, std::make_unique<IncompleteLuPreconditioner>(0));
       }},
      {"gmres with ilu",
       [](Criteria const& c) {
         return std::make_unique<Gmres>(Gmres::Settings{.criteria = c},
                                        std::make_unique<IncompleteLuPreconditioner>(1));
       }},
      {"cg with chebyshev",
       [](Criteria const& c) {
         return std::make_unique<ConjugateGradients>(c, std::make_unique<ChebyshevPreconditioner>(3, 20));
       }},
      {"cg with one reduction", [](Criteria const& c) { return std::make_unique<SingleReductionCg>(c); }},
      {"cg with one reduction and jacobi",
       [](Criteria const& c) {
         return std::make_unique<SingleReductionCg>(c, std::make_unique<JacobiPreconditioner>());
       }},
      {"pipelined cg", [](Criteria const& c) { return std::make_unique<PipelinedCg>(c); }},
      {"pipelined cg with jacobi",
       [](Criteria const& c) { return std::make_unique<PipelinedCg>(c, std::make_unique<JacobiPreconditioner>()); }},
      {"minres", [](Criteria const& c) { return std::make_unique<Minres>(c); }},
      {"minres with chebyshev",
       [](Criteria const& c) { return std::make_unique<Minres>(c, std::make_unique<ChebyshevPreconditioner>(3, 20)); }},
      {"bicgstab", [](Criteria const& c) { return std::make_unique<BiCgStab>(c); }, true},
      {"bicgstab with jacobi",
       [](Criteria const& c) { return std::make_unique<BiCgStab>(c, std::make_unique<JacobiPreconditioner>()); }, true},
      {"gmres", [](Criteria const& c) { return std::make_unique<Gmres>(Gmres::Settings{.criteria = c}); }},
      {"gmres with jacobi",
       [](Criteria const& c) {
         return std::make_unique<Gmres>(Gmres::Settings{.criteria = c}, std::make_unique<JacobiPreconditioner>());
       }},
      {"flexible gmres with chebyshev",
       [](Criteria const& c) {
         return std::make_unique<Gmres>(
             Gmres::Settings{.criteria = c, .flexible = true, .orthogonalisation = Orthogonalisation::modified},
             std::make_unique<ChebyshevPreconditioner>(3, 20));
       }},
      {"chebyshev", [](Criteria const& c) { return std::make_unique<Chebyshev>(Chebyshev::Settings{.criteria = c}); }},
      {"jacobi", [](Criteria const& c) { return std::make_unique<Jacobi>(c); }},
  };
}

/// A x = b with a known x.
struct Problem {
  std::unique_ptr<Operator> a;
  std::unique_ptr<Vector> solution, b;

  explicit Problem(std::unique_ptr<Operator> op)
      : a(std::move(op)), solution(a->create_vector()), b(a->create_vector()) {
    solution->randomize(1);
    a->apply(*solution, *b);
  }
  double true_residual(Vector const& x) const {
    auto const r = a->create_vector();
    return std::sqrt(a->residual(*b, x, *r));
  }
  double error(Vector const& x) const {
    auto const e = x.create();
    e->copy(x);
    e->add(-1, *solution);
    return std::sqrt(e->square() / solution->square());
  }
};

TEST(LinearSolver, EveryMethodFindsTheSolution) {
  std::vector<test_problem::Options> const problems = {
      {.cells = {17, 13}},
      {.cells = {7, 5, 6}, .wall = Wall::insulated, .shift = 0.5},
      {.cells = {29}},
      {.cells = {4}},
      {.cells = {12, 9}, .shift = 1, .contrast = 200},
      {.cells = {10, 8}, .periodic = true, .shift = 1},
      {.cells = {9, 23}, .blocks_per_rank = 2},
      {.cells = {5, 4, 17}, .periodic = true, .shift = 1, .blocks_per_rank = 2}};
  for (auto const& options : problems) {
    Problem const problem(make_operator<double>(test::communicator().split(0), options));
    for (Method const& method : all_methods()) {
      SCOPED_TRACE(method.name);
      auto const solver = method.make({.relative = 1e-9, .absolute = 0, .iterations = 20000});
      solver->prepare(*problem.a);
      auto const x = problem.a->create_vector();
      SolveReport const report = solver->solve(*problem.a, *problem.b, *x);
      EXPECT_EQ(report.outcome, Outcome::converged) << to_string(report.outcome) << report.remark;
      EXPECT_LE(report.true_residual, 1e-9 * report.initial_residual);
      EXPECT_DOUBLE_EQ(report.true_residual, problem.true_residual(*x));
      // The condition number of these operators is below a thousand.
      EXPECT_LE(problem.error(*x), 1e-6);
      EXPECT_EQ(report.history.size(), report.measured.size());
      EXPECT_DOUBLE_EQ(report.history.front(), report.initial_residual);
      EXPECT_EQ(report.measured.front(), 0);
      EXPECT_LE(report.measured.back(), report.iterations);
    }
  }
}

TEST(LinearSolver, TheAssembledOperatorIsSolvedInTheSameSteps) {
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {23, 19}}));
  CrsOperator<double> const assembled(*problem.a, 1);
  for (Method const& method : all_methods()) {
    SCOPED_TRACE(method.name);
    auto const solver = method.make({.relative = 1e-8, .absolute = 0, .iterations = 20000});
    auto const x = problem.a->create_vector();
    auto const y = problem.a->create_vector();
    solver->prepare(*problem.a);
    SolveReport const matrix_free = solver->solve(*problem.a, *problem.b, *x);
    solver->prepare(assembled);
    SolveReport const report = solver->solve(assembled, *problem.b, *y);
    EXPECT_EQ(report.outcome, Outcome::converged);
    auto const expected = static_cast<double>(matrix_free.iterations);
    if (method.has_colours) {
      EXPECT_LE(static_cast<double>(report.iterations), 2 * expected);
    } else {
      EXPECT_NEAR(static_cast<double>(report.iterations), expected, method.jumps ? expected / 3 : 2);
    }
    EXPECT_LE(problem.error(*y), 1e-5);
  }
}

TEST(AssembledSolver, FindsTheMatrixByItself) {
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {23, 19}}));
  AssembledSolver solver(std::make_unique<ConjugateGradients>(Criteria{.relative = 1e-9}));
  solver.prepare(*problem.a);
  auto const x = problem.a->create_vector();
  SolveReport const report = solver.solve(*problem.a, *problem.b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.method, "assembled cg");
  EXPECT_LE(problem.error(*x), 1e-6);
}

TEST(AssembledSolver, SaysWhatCannotBeAssembled) {
  DiagonalOperator const a(4, [](Index) { return 1.0; });
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->fill(1);
  AssembledSolver solver(std::make_unique<ConjugateGradients>(Criteria{}));
  solver.prepare(a);
  SolveReport const report = solver.solve(a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::breakdown);
  EXPECT_EQ(report.remark, "an operator that does not act on fields cannot be assembled");
}

TEST(LinearSolver, SinglePrecisionStopsWhereItsRoundingIs) {
  auto const a = make_operator<float>(test::communicator().split(0), {.cells = {31, 11}});
  auto const b = a->create_vector();
  b->randomize(1);
  for (Method const& method : all_methods()) {
    SCOPED_TRACE(method.name);
    auto const solver = method.make({.relative = 1e-14, .absolute = 0, .iterations = 20000});
    solver->prepare(*a);
    auto const x = a->create_vector();
    SolveReport const report = solver->solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged_to_rounding) << to_string(report.outcome);
    EXPECT_LT(report.iterations, 10000);
    double const level =
        rounding_level(Precision::single, a->norm_bound(), std::sqrt(x->square()), std::sqrt(b->square()));
    EXPECT_LE(report.true_residual, level);
  }
}

/// With a condition number of 1.6e4, rounding explains a fiftieth of the initial residual: any tolerance above is met.
TEST(LinearSolver, SinglePrecisionReachesWhatThereIsToReach) {
  auto const a = make_operator<float>(test::communicator().split(0), {.cells = {200}});
  auto const b = a->create_vector();
  b->fill(1);
  for (Method const& method : all_methods()) {
    if (std::string(method.name) == "jacobi") continue;  // would need a hundred thousand steps and more
    SCOPED_TRACE(method.name);
    auto const solver = method.make({.relative = 3e-2, .absolute = 0, .iterations = 20000});
    solver->prepare(*a);
    auto const x = a->create_vector();
    SolveReport const report = solver->solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << to_string(report.outcome) << ' ' << report.remark;
    EXPECT_LE(report.true_residual, 3e-2 * report.initial_residual);
    auto const sharp = method.make({.relative = 1e-12, .absolute = 0, .iterations = 20000});
    sharp->prepare(*a);
    x->fill(0);
    SolveReport const all = sharp->solve(*a, *b, *x);
    EXPECT_TRUE(reached(all.outcome)) << to_string(all.outcome) << ' ' << all.remark;
  }
}

TEST(ConjugateGradients, NeedsAsManyStepsAsThereAreEigenvalues) {
  for (int const different : {1, 2, 3, 7}) {
    DiagonalOperator const a(50, [&](Index row) { return 1.0 + static_cast<double>(row % different); });
    auto const b = a.create_vector();
    auto const x = a.create_vector();
    b->fill(1);
    ConjugateGradients solver({.relative = 1e-10, .absolute = 0, .iterations = 100});
    solver.prepare(a);
    SolveReport const report = solver.solve(a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_EQ(report.iterations, different);
  }
}

TEST(ConjugateGradients, WithTheInverseAsPreconditionerTakesOneStep) {
  DiagonalOperator const a(50, [](Index row) { return 1.0 + static_cast<double>(row * row); });
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->randomize(1);
  ConjugateGradients solver({.relative = 1e-10, .absolute = 0, .iterations = 100},
                            std::make_unique<JacobiPreconditioner>());
  solver.prepare(a);
  EXPECT_EQ(solver.solve(a, *b, *x).iterations, 1);
}

TEST(ConjugateGradients, TheRecurrenceMeetsWhatTheTrueResidualCannot) {
  // 1e-5 of the precision of double.
  Problem const problem(make_operator<double>(
      test::communicator().split(0), {.cells = {60, 50}, .wall = Wall::insulated, .shift = 1e-4, .contrast = 50}));
  ConjugateGradients solver({.relative = 1e-17, .absolute = 0, .iterations = 10000});
  solver.prepare(*problem.a);
  auto const x = problem.a->create_vector();
  SolveReport const report = solver.solve(*problem.a, *problem.b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged_to_rounding) << report.remark;
  EXPECT_LT(report.iterations, 2000);
  EXPECT_GT(report.true_residual, 1e-17 * report.initial_residual);
  EXPECT_DOUBLE_EQ(report.true_residual, problem.true_residual(*x));
}

TEST(ConjugateGradients, ADriftedRecurrenceStartsAgainFromTheTruth) {
  // Starting at 1e7 times the solution, the residual of the recurrence keeps rounding errors of that size.
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {40, 30}}));
  auto const x = problem.a->create_vector();
  x->randomize(9);
  x->scale(1e7);
  double const b = std::sqrt(problem.b->square());
  ConjugateGradients solver({.relative = 0, .absolute = 1e-13 * b, .iterations = 2000});
  solver.prepare(*problem.a);
  SolveReport const report = solver.solve(*problem.a, *problem.b, *x);
  EXPECT_TRUE(reached(report.outcome)) << to_string(report.outcome);
  double const level = rounding_level(Precision::double_, problem.a->norm_bound(), std::sqrt(x->square()), b);
  EXPECT_LE(problem.true_residual(*x), std::max(1e-13 * b, level));
}

TEST(Chebyshev, AnUpperBoundThatIsTooSmallCostsTimeAndNotTheAnswer) {
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {25, 21}}));
  EigenvalueBounds const truth = estimate_eigenvalues(*problem.a, 60);
  for (double const factor : {0.1, 0.5, 0.9}) {
    Chebyshev solver({.criteria = {.relative = 1e-9, .absolute = 0, .iterations = 5000},
                      .interval = {truth.smallest, factor * truth.largest}});
    solver.prepare(*problem.a);
    auto const x = problem.a->create_vector();
    SolveReport const report = solver.solve(*problem.a, *problem.b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << factor << to_string(report.outcome);
    EXPECT_LE(problem.error(*x), 1e-6);
    EXPECT_GE(solver.interval().largest, truth.largest);
  }
}

TEST(Chebyshev, ALowerBoundThatIsTooLargeIsFound) {
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {25, 21}}));
  EigenvalueBounds const truth = estimate_eigenvalues(*problem.a, 60);
  Chebyshev solver({.criteria = {.relative = 1e-9, .absolute = 0, .iterations = 1000},
                    .interval = {0.5 * truth.largest, 1.05 * truth.largest}});
  solver.prepare(*problem.a);
  auto const x = problem.a->create_vector();
  SolveReport const report = solver.solve(*problem.a, *problem.b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged) << to_string(report.outcome);
  EXPECT_LT(solver.interval().smallest, 0.1 * truth.largest);
}

TEST(Chebyshev, FallsAsFastAsTheIntervalPromises) {
  // Eigenvalues 1 .. 10, all present, scaled by a diagonal that is the identity.
  ChebyshevRecurrence recurrence({.smallest = 1, .largest = 10});
  double const lambda[] = {1, 2.5, 5.5, 10};
  double error[] = {1, 1, 1, 1};
  double direction[] = {0, 0, 0, 0};
  for (int step = 1; step <= 12; ++step) {
    ChebyshevCoefficients const c = recurrence.next();
    for (int n = 0; n < 4; ++n) {
      // x* = 0: the residual is -lambda x.
      direction[n] = c.direction * direction[n] - c.residual * lambda[n] * error[n];
      error[n] += direction[n];
    }
    // At both ends of the interval the polynomial reaches its largest magnitude.
    EXPECT_NEAR(std::abs(error[0]), recurrence.reduction(), 1e-12);
    EXPECT_NEAR(std::abs(error[3]), recurrence.reduction(), 1e-12);
    EXPECT_LE(std::abs(error[1]), recurrence.reduction() + 1e-12);
  }
}

TEST(ChebyshevPreconditioner, LeavesWhatItsPolynomialPromises) {
  std::size_t const size = 40;
  auto const a = test_chain::poisson(size);
  auto const r = a.create_vector();
  auto const z = a.create_vector();
  auto const sine = a.create_vector();
  double const step = std::numbers::pi / static_cast<double>(size + 1);
  for (Index const degree : {1, 4, 7}) {
    for (double const ratio : {5.0, 30.0}) {
      ChebyshevPreconditioner preconditioner(degree, ratio);
      preconditioner.prepare(a);
      double const promised = 1 / std::cosh(static_cast<double>(degree) * std::acosh((ratio + 1) / (ratio - 1)));
      for (std::size_t mode = 1; mode <= size; ++mode) {
        std::vector<double> values(size);
        for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(step * static_cast<double>(mode * (i + 1)));
        test_chain::Chain::set(*sine, values);
        a.apply(*sine, *r);
        preconditioner.apply(*r, *z);
        EXPECT_GT(z->dot(*r), 0);
        z->add(-1, *sine);
        // Eigenvalues of D^-1 A up to 2; the interval's lower end is at most a tenth above 2 / ratio.
        double const eigenvalue = 1 - std::cos(step * static_cast<double>(mode));
        bool const damped = eigenvalue >= 1.1 * 2 / ratio;
        EXPECT_LE(std::sqrt(z->square() / sine->square()), damped ? promised + 1e-13 : 1) << mode;
      }
    }
  }
}

/// An operator that claims asynchronous steps. Every step must read the iterate that the last one wrote.
class RunsAhead final : public Operator, private JacobiSteps {
 public:
  explicit RunsAhead(Operator const& a) : a_(a) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { a_.apply(x, y); }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }
  [[nodiscard]] double norm_bound() const override { return a_.norm_bound(); }
  double residual(Vector const& b, Vector const& x, Vector& r) const override { return a_.residual(b, x, r); }
  [[nodiscard]] JacobiSteps const* jacobi() const override { return this; }
  mutable int started = 0;

 private:
  void start_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const override {
    a_.jacobi()->start_step(buffer, weight, b, x, x_new);
    ++started;
  }
  [[nodiscard]] JacobiSquares squares(int buffer) const override { return a_.jacobi()->squares(buffer); }
  [[nodiscard]] bool run_ahead() const override { return true; }

  Operator const& a_;
};

TEST(Jacobi, StepsAheadChangeNothing) {
  for (StoppingQuantity const quantity : {StoppingQuantity::residual, StoppingQuantity::change}) {
    for (Criteria const criteria : {Criteria{.relative = 1e-3, .iterations = 4000}, Criteria{.iterations = 7},
                                    Criteria{.relative = 0, .iterations = 20000}, Criteria{.iterations = 1}}) {
      Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {9, 8}}));
      RunsAhead const ahead(*problem.a);
      auto const x = problem.a->create_vector();
      auto const other = problem.a->create_vector();
      Jacobi jacobi(criteria, 1, quantity);
      jacobi.prepare(*problem.a);
      SolveReport const expected = jacobi.solve(*problem.a, *problem.b, *x);
      SolveReport const report = jacobi.solve(ahead, *problem.b, *other);
      EXPECT_EQ(report.outcome, expected.outcome);
      EXPECT_EQ(report.iterations, expected.iterations);
      EXPECT_EQ(report.history, expected.history);
      EXPECT_EQ(report.final_residual, expected.final_residual);
      EXPECT_EQ(values_of<double>(*other), values_of<double>(*x));
      // One extra step at the end, unless the limit ended the solve.
      EXPECT_GE(ahead.started, report.iterations);
      if (report.outcome != Outcome::iteration_limit) {
        EXPECT_GT(ahead.started, report.iterations);
      }
    }
  }
}

TEST(Jacobi, TheSeedsErrorLines) {
  // -u'' = 0 on 4096 points between walls of 5 and 10, started from zero in single precision. The error is the root
  // mean square of the change over all points, walls included. As long as the walls do not influence each other, it
  // depends on the number of points N as 1 / sqrt(N) only: 32 times that of N = 4194304.
  constexpr Index points = 4096;
  test_problem::Options const options{.cells = {points}, .contrast = 0};
  auto const mesh = test_problem::make_mesh(test::communicator().split(0), options);
  std::vector<IndexRange> unknowns;
  for (Block const& block : mesh->blocks()) {
    IndexRange range = mesh->owned(block, Centring::cell);
    if (block.cells.begin[0] == 0) range.begin[0] = 1;
    if (block.cells.end[0] == points) --range.end[0];
    unknowns.push_back(range);
  }
  auto const a = make_operator<float>(mesh, options, unknowns);
  auto const b = a->create_vector();
  auto const& field = as_field_vector<float>(*b).field();
  for (Block const& block : mesh->blocks()) {
    std::vector<float> values(static_cast<std::size_t>(field.owned(block).size()));
    if (block.cells.begin[0] == 0) values[1] = 5;
    if (block.cells.end[0] == points) values[values.size() - 2] = 10;
    as_field_vector<float>(*b).field().set_owned(block, 0, std::as_bytes(std::span(values)));
  }
  double const scale = std::sqrt((points - 2.0) / 4194304.0);
  Jacobi solver({.relative = 0, .absolute = 1e-4 / scale, .iterations = 1000}, 1, StoppingQuantity::change);
  solver.prepare(*a);
  auto const x = a->create_vector();
  SolveReport const report = solver.solve(*a, *b, *x);
  EXPECT_EQ(report.outcome, Outcome::converged);
  double const expected[] = {0.00272958, 0.00034546, 0.000210903, 0.000157015, 0.000127122, 0.00010783};
  ASSERT_GT(report.history.size(), 50U);
  EXPECT_LT(report.iterations, 61);
  for (std::size_t n = 0; n < 6; ++n) {
    EXPECT_EQ(report.measured[10 * n], static_cast<Index>(10 * n) + 1);
    // Six digits, for sums in single precision.
    EXPECT_NEAR(scale * report.history[10 * n], expected[n], 1e-5 * expected[n]);
  }
}

TEST(LinearSolver, TellsItsObserverOfEveryMeasuredIteration) {
  Problem const problem(make_operator<double>(test::communicator().split(0), {.cells = {17, 13}}));
  for (Method const& method : all_methods()) {
    SCOPED_TRACE(method.name);
    auto const solver = method.make({.relative = 1e-6, .absolute = 0, .iterations = 5000});
    std::vector<Index> iterations;
    std::vector<double> residuals;
    solver->set_observer([&](Index iteration, double residual) {
      iterations.push_back(iteration);
      residuals.push_back(residual);
    });
    solver->prepare(*problem.a);
    auto const x = problem.a->create_vector();
    SolveReport const report = solver->solve(*problem.a, *problem.b, *x);
    EXPECT_EQ(iterations, report.measured);
    EXPECT_EQ(residuals, report.history);
    EXPECT_TRUE(std::is_sorted(iterations.begin(), iterations.end()));
  }
}

TEST(LinearSolver, RepeatsToTheBitForAnyNumberOfThreads) {
  auto a = make_operator<double>(test::communicator().split(0), {.cells = {83, 61}});
  Mesh const& mesh = test_problem::mesh_of<double>(*a);
  Problem const problem(std::move(a));
  for (Method const& method : all_methods()) {
    SCOPED_TRACE(method.name);
    auto const solver = method.make({.relative = 1e-5, .absolute = 0, .iterations = 20000});
    std::vector<double> first;
    std::vector<double> history;
    test_problem::for_each_thread_count(mesh, [&] {
      solver->prepare(*problem.a);
      auto const x = problem.a->create_vector();
      SolveReport const report = solver->solve(*problem.a, *problem.b, *x);
      if (first.empty()) {
        first = values_of<double>(*x);
        history = report.history;
      }
      EXPECT_EQ(values_of<double>(*x), first);
      EXPECT_EQ(report.history, history);
    });
  }
}

}  // namespace
}  // namespace halocline
