#include "solvers/linear/single_reduction_cg.hpp"
#include "framework/operator/coarsening.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <functional>

#include "framework/operator/test_problem.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/pipelined_cg.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"
#include "solvers/linear/test_operators.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/test_chain.hpp"
#include "tests/support/communicator.hpp"

// Properties that conjugate gradients with one reduction share with the usual form, and counts of their waits.

namespace {

/// Counts reductions between ranks in this process: all sums are MPI_Iallreduce, awaited by MPI_Test.
struct Reductions {
  int started = 0;
  MPI_Request under_way = MPI_REQUEST_NULL;  ///< the last one, until a wait for it has ended
} reductions;

}  // namespace

// MPI's profiling interface: a program may replace any function.
extern "C" int MPI_Iallreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                              MPI_Comm communicator, MPI_Request* request) {
  int const result = PMPI_Iallreduce(send, receive, count, type, operation, communicator, request);
  ++reductions.started;
  reductions.under_way = *request;
  return result;
}

extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  MPI_Request const before = *request;
  int const result = PMPI_Test(request, done, status);
  if (*done != 0 && before == reductions.under_way) reductions.under_way = MPI_REQUEST_NULL;
  return result;
}

namespace halocline {
namespace {

using test_operators::DiagonalOperator;
using test_operators::distance;
using test_operators::solve;
using test_operators::Solved;

enum class Form { two, one, hidden };

std::unique_ptr<LinearSolver> make(Form form, Criteria const& criteria,
                                   std::unique_ptr<Preconditioner> preconditioner = nullptr) {
  if (form == Form::one) return std::make_unique<SingleReductionCg>(criteria, std::move(preconditioner));
  if (form == Form::hidden) return std::make_unique<PipelinedCg>(criteria, std::move(preconditioner));
  return std::make_unique<ConjugateGradients>(criteria, std::move(preconditioner));
}

TEST(SingleReductionCg, NeedsAsManyStepsAsThereAreEigenvalues) {
  for (Form const form : {Form::one, Form::hidden}) {
    for (int const different : {1, 2, 3, 7}) {
      DiagonalOperator const a(50, [&](Index row) { return 1.0 + static_cast<double>(row % different); });
      auto const b = a.create_vector();
      b->fill(1);
      auto const solver = make(form, {.relative = 1e-10, .absolute = 0, .iterations = 100});
      SolveReport const report = solve(*solver, a, *b).report;
      EXPECT_EQ(report.outcome, Outcome::converged);
      EXPECT_EQ(report.iterations, different) << report.method;
    }
    DiagonalOperator const a(50, [](Index row) { return 1.0 + static_cast<double>(row * row); });
    auto const b = a.create_vector();
    b->randomize(1);
    auto const solver = make(form, {.relative = 1e-10}, std::make_unique<JacobiPreconditioner>());
    EXPECT_EQ(solve(*solver, a, *b).report.iterations, 1);
  }
}

/// Scales the entries of a vector by given factors.
class Scaling final : public Preconditioner {
 public:
  explicit Scaling(std::function<double(Index)> entry) : entry_(std::move(entry)) {}
  void prepare(Operator const& a) override {
    factors_ = a.create_vector();
    test_operators::set(dynamic_cast<ArrayVector<double>&>(*factors_), entry_);
  }
  void apply(Vector const& r, Vector& z) override { z.multiply(*factors_, r); }

 private:
  std::function<double(Index)> entry_;
  std::unique_ptr<Vector> factors_;
};

/// M^-1 A has three eigenvalues, A has many.
TEST(SingleReductionCg, CountsTheEigenvaluesThatThePreconditionerLeaves) {
  DiagonalOperator const a(50, [](Index row) { return 1.0 + static_cast<double>(row); });
  auto const b = a.create_vector();
  b->randomize(1);
  for (Form const form : {Form::two, Form::one, Form::hidden}) {
    auto const solver = make(form, {.relative = 1e-10}, std::make_unique<Scaling>([](Index row) {
                               return (1.0 + static_cast<double>(row % 3)) / (1.0 + static_cast<double>(row));
                             }));
    EXPECT_EQ(solve(*solver, a, *b).report.iterations, 3);
  }
}

std::vector<std::function<std::unique_ptr<Preconditioner>()>> preconditioners_for(bool coarsens) {
  std::vector<std::function<std::unique_ptr<Preconditioner>()>> all{
      [] { return nullptr; }, [] { return std::make_unique<JacobiPreconditioner>(); },
      [] { return std::make_unique<ChebyshevPreconditioner>(3, 20); }};
  if (coarsens) all.emplace_back([] { return std::make_unique<Multigrid>(); });
  return all;
}

TEST(SingleReductionCg, TakesTheStepsOfConjugateGradients) {
  auto const diffusion = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {20, 16}});
  auto const chain = test_chain::poisson(64);
  Criteria const criteria{.relative = 1e-10, .absolute = 0, .iterations = 2000};
  for (Operator const* const a :
       {static_cast<Operator const*>(diffusion.get()), static_cast<Operator const*>(&chain)}) {
    auto const b = a->create_vector();
    b->randomize(1);
    for (auto const& preconditioner : preconditioners_for(a == &chain)) {
      auto const usual = make(Form::two, criteria, preconditioner());
      Solved const expected = solve(*usual, *a, *b);
      ASSERT_EQ(expected.report.outcome, Outcome::converged);
      for (Form const form : {Form::one, Form::hidden}) {
        auto const solver = make(form, criteria, preconditioner());
        Solved const solved = solve(*solver, *a, *b);
        EXPECT_EQ(solved.report.outcome, Outcome::converged) << solved.report.remark;
        auto const iterations = static_cast<double>(expected.report.iterations);
        EXPECT_NEAR(static_cast<double>(solved.report.iterations), iterations, 1 + iterations / 20);
        // The same iterates by different arithmetic. Ten steps make some hundred roundings, each amplified by at most
        // the condition number, below 1e4: 1e2 * 1e-16 * 1e4.
        for (std::size_t n = 0; n < std::min<std::size_t>(10, expected.report.history.size() - 1); ++n) {
          EXPECT_NEAR(solved.report.history[n], expected.report.history[n], 1e-10 * expected.report.initial_residual);
        }
        // Both residuals are below 1e-10 of the first; the condition number is below 1e4.
        EXPECT_LE(distance(*solved.x, *expected.x), 2e-6);
      }
    }
  }
}

/// An operator and a preconditioner that count how often they are applied, and how often during a reduction.
struct Counts {
  int applied = 0;
  int applied_meanwhile = 0;
  void count() {
    ++applied;
    if (reductions.under_way != MPI_REQUEST_NULL) ++applied_meanwhile;
  }
};

class CountingOperator final : public Operator {
 public:
  CountingOperator(Operator const& a, Counts& counts) : a_(a), counts_(counts) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override {
    counts_.count();
    a_.apply(x, y);
  }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override { return a_.coarsen(); }
  [[nodiscard]] Relaxation const* relaxation() const override { return a_.relaxation(); }
  [[nodiscard]] double norm_bound() const override { return a_.norm_bound(); }

 private:
  Operator const& a_;
  Counts& counts_;
};

class CountingPreconditioner final : public Preconditioner {
 public:
  CountingPreconditioner(std::unique_ptr<Preconditioner> inner, Counts& counts)
      : inner_(std::move(inner)), counts_(counts) {}
  void prepare(Operator const& a) override { inner_->prepare(a); }
  void apply(Vector const& r, Vector& z) override {
    counts_.count();
    inner_->apply(r, z);
  }

 private:
  std::unique_ptr<Preconditioner> inner_;
  Counts& counts_;
};

struct Work {
  int reductions;
  Counts of_operator, of_preconditioner;
  double residual;
};

/// Runs exactly this many iterations.
Work work_of(Form form, Operator const& a, Vector const& b, Index iterations,
             std::unique_ptr<Preconditioner> preconditioner) {
  Work work{};
  CountingOperator const counting(a, work.of_operator);
  if (preconditioner != nullptr) {
    preconditioner = std::make_unique<CountingPreconditioner>(std::move(preconditioner), work.of_preconditioner);
  }
  auto const solver = make(form, {.relative = 0, .absolute = 0, .iterations = iterations}, std::move(preconditioner));
  solver->prepare(counting);
  auto const x = a.create_vector();
  work.of_operator = work.of_preconditioner = {};
  reductions.started = 0;
  SolveReport const report = solver->solve(counting, b, *x);
  EXPECT_EQ(report.iterations, iterations);
  work.reductions = reductions.started;
  work.residual = report.final_residual / report.initial_residual;
  return work;
}

TEST(SingleReductionCg, WaitsOnceAnIterationOrWhileItWorks) {
  int const many = test::communicator().size() > 1 ? 1 : 0;  // a single rank has nothing to reduce
  auto const a = test_chain::poisson(64);
  auto const b = a.create_vector();
  b->randomize(1);
  // Preconditioners without sums of their own, which apply the operator by other functions.
  std::vector<std::function<std::unique_ptr<Preconditioner>()>> const preconditioners{
      [] { return nullptr; }, [] { return std::make_unique<JacobiPreconditioner>(); },
      [] { return std::make_unique<Multigrid>(); }};
  for (auto const& preconditioner : preconditioners) {
    bool const preconditioned = preconditioner() != nullptr;
    for (Form const form : {Form::two, Form::one, Form::hidden}) {
      Work const few = work_of(form, a, *b, 2, preconditioner());
      Work const more = work_of(form, a, *b, 12, preconditioner());
      Counts const of_operator{more.of_operator.applied - few.of_operator.applied,
                               more.of_operator.applied_meanwhile - few.of_operator.applied_meanwhile};
      Counts const of_preconditioner{
          more.of_preconditioner.applied - few.of_preconditioner.applied,
          more.of_preconditioner.applied_meanwhile - few.of_preconditioner.applied_meanwhile};
      EXPECT_EQ(of_operator.applied, 10);
      EXPECT_EQ(of_preconditioner.applied, preconditioned ? 10 : 0);
      if (form == Form::two) {
        // r . z with a preconditioner, p . A p, r . r, and x . x in some iterations.
        EXPECT_GE(more.reductions - few.reductions, many * (preconditioned ? 30 : 20));
      } else {
        // x . x is part of the same reduction, even if the residual falls fast.
        EXPECT_EQ(more.reductions - few.reductions, many * 10) << more.residual;
      }
      bool const hides = form == Form::hidden;
      EXPECT_EQ(of_operator.applied_meanwhile, hides ? many * 10 : 0);
      EXPECT_EQ(of_preconditioner.applied_meanwhile, hides && preconditioned ? many * 10 : 0);
    }
  }
  // With multigrid the residual falls so fast that the norm of x is needed in between.
  EXPECT_LE(work_of(Form::hidden, a, *b, 12, std::make_unique<Multigrid>()).residual, 1e-3);
}

/// The renewal every 50 iterations needs no reduction.
TEST(PipelinedCg, RenewsItselfWithoutReductions) {
  int const many = test::communicator().size() > 1 ? 1 : 0;
  auto const a = test_chain::poisson(300);
  auto const b = a.create_vector();
  b->randomize(1);
  for (bool const preconditioned : {false, true}) {
    auto const preconditioner = [&] { return preconditioned ? std::make_unique<JacobiPreconditioner>() : nullptr; };
    Work const few = work_of(Form::hidden, a, *b, 10, preconditioner());
    Work const more = work_of(Form::hidden, a, *b, 110, preconditioner());
    EXPECT_EQ(more.reductions - few.reductions, many * 100);
    EXPECT_EQ(more.of_operator.applied - few.of_operator.applied, 100 + 2 * 3);
    EXPECT_EQ(more.of_preconditioner.applied - few.of_preconditioner.applied, preconditioned ? 100 + 2 * 2 : 0);
  }
}

/// The usual form needs as many steps as unknowns here, some thousand products in a row. With recurrences alone, the
/// pipelined residual stops falling at 1e-7.
TEST(PipelinedCg, ReachesWhatTheUsualFormDoes) {
  auto const ranks = static_cast<Index>(test::communicator().size());
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {1000 / ranks * ranks}});
  auto const b = a->create_vector();
  b->randomize(1);
  for (double const relative : {1e-10, 1e-30}) {
    Criteria const criteria{.relative = relative, .absolute = 0, .iterations = 20000};
    SolveReport const expected = solve(*make(Form::two, criteria), *a, *b).report;
    ASSERT_TRUE(reached(expected.outcome));
    for (Form const form : {Form::one, Form::hidden}) {
      SolveReport const report = solve(*make(form, criteria), *a, *b).report;
      EXPECT_EQ(report.outcome, expected.outcome) << report.method << ": " << report.remark;
      // If the tolerance cannot be reached, one more start from b - A x is possible.
      EXPECT_LE(report.iterations, (relative > 1e-20 ? 1.1 : 2.1) * static_cast<double>(expected.iterations));
      EXPECT_LE(report.true_residual, std::max(relative * report.initial_residual, 2 * expected.true_residual));
    }
  }
}

/// Starting at 1e7 times the solution, the residual of the recurrence keeps rounding errors of that size.
TEST(SingleReductionCg, ADriftedRecurrenceStartsAgainFromTheTruth) {
  auto const a = test_problem::make_operator<double>(test::communicator().split(0), {.cells = {40, 30}});
  auto const solution = a->create_vector();
  auto const b = a->create_vector();
  solution->randomize(1);
  a->apply(*solution, *b);
  double const norm = std::sqrt(b->square());
  for (Form const form : {Form::one, Form::hidden}) {
    auto const x = a->create_vector();
    x->randomize(9);
    x->scale(1e7);
    auto const solver = make(form, {.relative = 0, .absolute = 1e-12 * norm, .iterations = 2000});
    solver->prepare(*a);
    SolveReport const report = solver->solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.method << ": " << report.remark;
    auto const r = a->create_vector();
    EXPECT_LE(std::sqrt(a->residual(*b, *x, *r)), 1e-12 * norm);
  }
}

}  // namespace
}  // namespace halocline
