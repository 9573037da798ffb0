#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "framework/kernel/backends.hpp"
#include "framework/kernel/resident_cg.hpp"
#include "framework/operator/cg_steps.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "framework/runtime/backend.hpp"
#include "physics/equations/test_problems.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"

// Conjugate gradients whose steps are taken or enqueued before the host has the sums of earlier steps.

namespace halocline {
namespace {

using namespace halocline::test;

/// On this operator conjugate gradients wait for each sum, unless they are given steps ahead.
class Paced final : public Operator, private CgSteps {
 public:
  explicit Paced(Operator const& a, CgStepsAhead const* ahead = nullptr) : a_(a), ahead_(ahead) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { a_.apply(x, y); }
  double residual(Vector const& b, Vector const& x, Vector& r) const override { return a_.residual(b, x, r); }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }
  [[nodiscard]] double norm_bound() const override { return a_.norm_bound(); }
  [[nodiscard]] CgSteps const* cg() const override { return this; }

 private:
  double apply_dot(Vector const& x, Vector& y) const override { return a_.cg()->apply_dot(x, y); }
  double direction_apply_and_dot(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                                 std::unique_ptr<Vector>& q) const override {
    return a_.cg()->direction_apply_and_dot(alpha, beta, z, x, p, q);
  }
  CgUpdate update_and_square(double alpha, Vector const& p, Vector const& q, Vector& r,
                             CgScaling const& scaling) const override {
    return a_.cg()->update_and_square(alpha, p, q, r, scaling);
  }
  [[nodiscard]] CgStepsAhead const* ahead() const override { return ahead_; }

  Operator const& a_;
  CgStepsAhead const* ahead_;
};

/// A negative Laplacian in 2D whose diagonal varies.
template <class Real>
struct VaryingDiagonal {
  static constexpr Shape shape = star<1, 2>;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    Index const n = (at.index(0) * 3 + at.index(1)) % 5;
    return (Real{4} + Real{0.125} * static_cast<Real>(n)) * u[here] - u[west] - u[east] - u[south] - u[north];
  }
};

struct Problem {
  std::vector<Index> cells;
  bool stretched = false;
  bool varying = false;
  Periodicity periodic{};
  double mass = 0;
  bool small = true;  ///< whether NVIDIA's devices take all steps in one kernel
};

template <class Real>
std::unique_ptr<Operator> make(Problem const& problem) {
  auto const mesh = unit_mesh(problem.cells, {problem.stretched, problem.periodic}, this_rank());
  auto const k =
      cell_field<Real>(mesh, [](Index i, Index j, Index) { return 1 + static_cast<double>((i + 2 * j) % 5); });
  BoundaryConditions conditions = all_walls(BoundaryKind::dirichlet);
  for (int axis = 0; axis < 3; ++axis) {
    if (!problem.periodic[static_cast<std::size_t>(axis)]) continue;
    for (int const side : {-1, 1}) conditions.at(axis, side).kind = BoundaryKind::periodic;
  }
  return make_diffusion<Real>({.mesh = mesh, .conditions = conditions, .mass = problem.mass},
                              {.conductivity = problem.varying ? &k : nullptr});
}

std::vector<Problem> problems() {
  std::vector<Problem> problems{{.cells = {301}, .small = false},
                                {.cells = {61, 47}},
                                {.cells = {53, 41}, .stretched = true},
                                {.cells = {19, 23, 29}},
                                {.cells = {2, 1, 3}},
                                {.cells = {23, 17, 20}, .varying = true},
                                {.cells = {32, 24, 16}, .periodic = {true, false, true}},
                                {.cells = {31, 37}, .varying = true, .periodic = {true, true, false}, .mass = 1},
                                {.cells = {160, 9, 7}, .periodic = {true, true, true}, .mass = 2}};
  // On hosts, which take steps one by one, a large problem would only take longer.
  if (!kernel::is_host<Execution>) {
    problems.push_back({.cells = {64, 64, 64}});
    problems.push_back({.cells = {96, 128, 70}, .varying = true, .small = false});
    problems.push_back({.cells = {128, 128, 80}, .small = false});
  }
  return problems;
}

bool run_persistently(Operator const& a, Vector const& b) {
  auto const x = a.create_vector();
  auto const p = a.create_vector();
  auto const r = a.create_vector();
  r->copy(b);
  CgStepsAhead const* const ahead = a.cg()->ahead();
  return ahead != nullptr &&
         !ahead->run_persistent({.product = b.square()}, {.enough = 0, .too_much = 1e300, .most = 1}, *x, *p, *r)
              .empty();
}

/// Ended by tolerance, by iteration limit, or by rounding: the same number of steps with the same bits.
void expect_same_steps(Operator const& a, Operator const& waiting, bool is_scaled) {
  bool const is_single = a.create_vector()->precision() == Precision::single;
  auto const make_solver = [is_scaled](Criteria const& criteria) {
    return ConjugateGradients(criteria, is_scaled ? std::make_unique<JacobiPreconditioner>() : nullptr);
  };
  auto const b = a.create_vector();
  b->randomize(7);
  for (Criteria const& criteria : {Criteria{.relative = is_single ? 1e-3 : 1e-9, .absolute = 0, .iterations = 3000},
                                   Criteria{.relative = 1e-12, .absolute = 0, .iterations = 1},
                                   Criteria{.relative = 1e-12, .absolute = 0, .iterations = 2},
                                   Criteria{.relative = 1e-12, .absolute = 0, .iterations = 25},
                                   Criteria{.relative = 0, .absolute = 0, .iterations = 400}}) {
    ConjugateGradients ahead = make_solver(criteria);
    ConjugateGradients one_by_one = make_solver(criteria);
    ahead.prepare(a);
    one_by_one.prepare(waiting);
    // The second solve with the same solver must start afresh, too.
    for (std::uint64_t const seed : {1, 2}) {
      auto const x = a.create_vector();
      auto const y = a.create_vector();
      x->randomize(seed);
      y->randomize(seed);
      SolveReport const report = ahead.solve(a, *b, *x);
      SolveReport const expected = one_by_one.solve(waiting, *b, *y);
      EXPECT_EQ(report.outcome, expected.outcome) << to_string(report.outcome) << " " << to_string(expected.outcome);
      EXPECT_EQ(report.iterations, expected.iterations);
      EXPECT_EQ(report.true_residual, expected.true_residual);
      ASSERT_EQ(ahead.coefficients().size(), one_by_one.coefficients().size());
      for (std::size_t n = 0; n < ahead.coefficients().size(); ++n) {
        EXPECT_EQ(ahead.coefficients()[n].beta, one_by_one.coefficients()[n].beta) << n;
      }
      x->add(-1, *y);
      EXPECT_EQ(x->maximum(), 0);
    }
  }
}

template <class Real>
class StepsAhead : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(StepsAhead, Reals);

TYPED_TEST(StepsAhead, AreTheStepsOfThoseWhoWait) {
  for (Problem const& problem : problems()) {
    SCOPED_TRACE(std::to_string(problem.cells[0]) + " cells");
    auto const a = make<TypeParam>(problem);
    Paced const waiting(*a);
    EXPECT_EQ(waiting.cg()->ahead(), nullptr);
    EXPECT_EQ(a->cg()->ahead() != nullptr, !kernel::is_host<Execution>);
    auto const b = a->create_vector();
    b->randomize(7);
    EXPECT_EQ(run_persistently(*a, *b), kernel::has_persistent_cg<Execution> && problem.small);
    for (bool const is_scaled : {false, true}) expect_same_steps(*a, waiting, is_scaled);
  }
}

/// On hosts, too, which finish each step as it is enqueued.
TYPED_TEST(StepsAhead, AreTheSameOnEveryBackend) {
  using Functor = VaryingDiagonal<TypeParam>;
  auto const mesh = unit_mesh({61, 47}, {}, this_rank());
  StencilOperator<TypeParam, Functor, 0> const a({.mesh = mesh, .functor = {}});
  StencilCore<TypeParam, Functor, 0> const core({.mesh = mesh, .functor = {}});
  StencilCg<TypeParam, Functor, 0> const passes(core);
  StencilCgAhead<StencilCg<TypeParam, Functor, 0>> const ahead(core, passes);
  for (bool const is_scaled : {false, true}) expect_same_steps(Paced(a, &ahead), Paced(a), is_scaled);
}

/// Surplus steps do not change the solution.
TYPED_TEST(StepsAhead, LeaveTheLastGoodSolution) {
  auto const a = make<TypeParam>({.cells = {16, 16}, .varying = true});
  auto const b = a->create_vector();
  auto const x = a->create_vector();
  b->fill(std::numeric_limits<double>::quiet_NaN());
  // Single precision easily reaches 1e-3 here: eps times the condition number for 16 x 16 cells is 1e-5.
  ConjugateGradients solver({.relative = 1e-3, .absolute = 0, .iterations = 100});
  solver.prepare(*a);
  EXPECT_EQ(solver.solve(*a, *b, *x).outcome, Outcome::not_a_number);
  EXPECT_EQ(x->maximum(), 0);
  // The solver can be used again.
  b->randomize(1);
  EXPECT_EQ(solver.solve(*a, *b, *x).outcome, Outcome::converged);
}

}  // namespace
}  // namespace halocline
