#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/kernel/backends.hpp"
#include "framework/kernel/thread_block_cluster.hpp"
#include "framework/operator/coarsening.hpp"
#include "framework/operator/relaxation.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_problems.hpp"

// Multigrid on the operators of this module.

namespace halocline {
namespace {

using namespace halocline::test;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Problem {
  std::vector<Index> cells;
  bool stretched = false;
  bool varying = false;
  double mass = 0;
  BoundaryKind walls = BoundaryKind::dirichlet;
  Centring centring = Centring::cell;
  Periodicity periodic{};
  int blocks_per_rank = 1;
};

std::unique_ptr<Operator> make(Problem const& problem, std::shared_ptr<Communicator> ranks = all_ranks()) {
  auto const mesh =
      unit_mesh(problem.cells, {problem.stretched, problem.periodic, problem.blocks_per_rank}, std::move(ranks));
  // Two boxes that conduct ten thousand times better than their surroundings, not aligned with coarse cells.
  auto const k = cell_field<double>(mesh, [&](Index i, Index j, Index l) {
    Index const at[3] = {i, j, l};
    bool first = true;
    bool second = true;
    for (std::size_t a = 0; a < problem.cells.size(); ++a) {
      double const place = (static_cast<double>(at[a]) + 0.5) / static_cast<double>(problem.cells[a]);
      first = first && 0.13 < place && place < 0.41;
      second = second && 0.52 < place && place < 0.77;
    }
    return first || second ? 1e4 : 1.0;
  });
  BoundaryConditions conditions = all_walls(problem.walls);
  for (int axis = 0; axis < mesh->dimensions(); ++axis) {
    if (!mesh->periodic(axis)) continue;
    conditions.at(axis, -1).kind = BoundaryKind::periodic;
    conditions.at(axis, 1).kind = BoundaryKind::periodic;
  }
  return make_diffusion<double>(
      {.mesh = mesh, .centring = problem.centring, .conditions = conditions, .mass = problem.mass},
      {.conductivity = problem.varying ? &k : nullptr});
}

/// Offers only what every Coarsening must have, so that the solver smooths and transfers step by step. With
/// `has_passes` it also offers the fused passes of a V-cycle, but no resident cycles.
class StepByStep final : public Operator {
 public:
  explicit StepByStep(Operator const& a, bool has_passes = false) : a_(a), has_passes_(has_passes) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override { a_.apply(x, y); }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }
  [[nodiscard]] Relaxation const* relaxation() const override { return a_.relaxation(); }
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override {
    auto inner = a_.coarsen();
    return inner ? std::make_unique<Transfers>(std::move(inner), has_passes_) : nullptr;
  }

 private:
  class Transfers final : public Coarsening, private CyclePasses {
   public:
    Transfers(std::unique_ptr<Coarsening> inner, bool has_passes)
        : Coarsening(inner->kind()),
          inner_(std::move(inner)),
          coarse_(std::make_unique<StepByStep>(inner_->coarse(), has_passes)),
          has_passes_(has_passes && inner_->passes() != nullptr) {}
    [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
    void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override {
      inner_->residual_restrict(b, x, coarse_b);
    }
    void restrict_to(Vector const& fine, Vector& coarse) const override { inner_->restrict_to(fine, coarse); }
    void prolong_add(Vector const& coarse_x, Vector& x) const override { inner_->prolong_add(coarse_x, x); }
    [[nodiscard]] FullMultigridTransfers const* full_multigrid() const override { return inner_->full_multigrid(); }
    [[nodiscard]] CyclePasses const* passes() const override { return has_passes_ ? this : nullptr; }

   private:
    void relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x, Vector& coarse_b) const override {
      inner_->passes()->relax_restrict(relaxations, from_zero, b, x, coarse_b);
    }
    void prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b, Vector& x) const override {
      inner_->passes()->prolong_relax(relaxations, coarse_x, b, x);
    }

    std::unique_ptr<Coarsening> inner_;
    std::unique_ptr<StepByStep> coarse_;
    bool has_passes_;
  };
  Operator const& a_;
  bool has_passes_;
};

double relative_difference(Vector const& x, Vector const& y) {
  auto const difference = x.create();
  difference->copy(x);
  difference->add(-1, y);
  return std::sqrt(difference->square() / x.square());
}

std::vector<Problem> pass_problems() {
  return {{.cells = {20011}},
          {.cells = {9001}, .varying = true},
          {.cells = {150, 120}},
          {.cells = {97, 101}, .stretched = true, .varying = true},
          {.cells = {200, 61}, .walls = BoundaryKind::neumann},
          {.cells = {128, 96}, .mass = 1, .walls = BoundaryKind::neumann, .periodic = {true, false, false}},
          {.cells = {100, 100}, .centring = Centring::node},
          {.cells = {24, 20, 22}},
          {.cells = {23, 29, 19}, .varying = true},
          {.cells = {21, 26, 31}, .centring = Centring::node},
          {.cells = {24, 24, 24}, .mass = 1, .periodic = {true, true, true}},
          {.cells = {20011}, .blocks_per_rank = 2},
          {.cells = {113, 241}, .varying = true, .blocks_per_rank = 2},
          {.cells = {100, 211}, .centring = Centring::node, .blocks_per_rank = 2},
          {.cells = {31, 29, 43}, .mass = 1, .periodic = {true, false, true}, .blocks_per_rank = 2}};
}

/// Large enough for four ranks to relax both colours in one pass on devices.
std::vector<Problem> large_pass_problems() {
  return {{.cells = {2501, 1800}},
          {.cells = {173, 167, 170}},
          {.cells = {180, 165, 168}, .mass = 1, .walls = BoundaryKind::neumann},
          {.cells = {170, 168, 172}, .centring = Centring::node},
          {.cells = {169, 168, 171}, .mass = 1, .periodic = {true, false, true}}};
}

void expect_passes_are_their_steps(Problem const& problem, int sweeps, bool from_zero) {
  SCOPED_TRACE(std::to_string(problem.cells[0]) + " cells, sweeps: " + std::to_string(sweeps) +
               (from_zero ? ", from zero" : ""));
  auto const a = make(problem);
  auto const coarsening = a->coarsen();
  ASSERT_NE(coarsening, nullptr);
  auto const b = a->create_vector();
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  auto const coarse_x = coarsening->coarse().create_vector();
  auto const coarse_y = coarsening->coarse().create_vector();
  b->randomize(1);
  x->randomize(2);  // must not be read when starting from zero
  if (!from_zero) y->copy(*x);
  if (coarsening->kind() == LevelKind::moved) return;
  ASSERT_NE(coarsening->passes(), nullptr);
  coarsening->passes()->relax_restrict(sweeps, from_zero, *b, *x, *coarse_x);
  for (int sweep = 0; sweep < sweeps; ++sweep) a->relaxation()->relax(true, *b, *y);
  coarsening->residual_restrict(*b, *y, *coarse_y);
  // The two forms round differently, by less than about ten roundings in each of five steps.
  EXPECT_LE(relative_difference(*x, *y), 50 * epsilon * 1e2);
  EXPECT_LE(relative_difference(*coarse_x, *coarse_y), 50 * epsilon * 1e4);

  coarse_x->randomize(3);
  coarsening->passes()->prolong_relax(sweeps, *coarse_x, *b, *x);
  coarsening->prolong_add(*coarse_x, *y);
  for (int sweep = 0; sweep < sweeps; ++sweep) a->relaxation()->relax(false, *b, *y);
  EXPECT_LE(relative_difference(*x, *y), 50 * epsilon * 1e2);
}

TEST(Coarsening, PassesAreTheStepsOneByOne) {
  for (Problem const& problem : pass_problems()) {
    for (int const sweeps : {1, 2, 3}) {
      for (bool const from_zero : {true, false}) expect_passes_are_their_steps(problem, sweeps, from_zero);
    }
  }
  int n = 0;
  for (Problem const& problem : large_pass_problems()) {
    ++n;
    expect_passes_are_their_steps(problem, n % 4 + 1, true);
    expect_passes_are_their_steps(problem, n % 2 + 1, false);
  }
}

TEST(Coarsening, RestrictionIsTheTransposeOfProlongation) {
  for (Problem const& problem : pass_problems()) {
    auto const a = make(problem);
    auto const coarsening = a->coarsen();
    auto const fine = a->create_vector();
    auto const coarse = coarsening->coarse().create_vector();
    auto const restricted = coarse->create();
    auto const prolonged = fine->create();
    fine->randomize(1);
    coarse->randomize(2);
    coarsening->restrict_to(*fine, *restricted);
    coarsening->prolong_add(*coarse, *prolonged);
    double const right = fine->dot(*prolonged);
    if (restricted->size() == fine->size()) continue;  // agglomerated: its dot products are those of one rank
    double const size = std::sqrt(fine->square() * prolonged->square());
    EXPECT_NEAR(coarse->dot(*restricted), right, 40 * epsilon * size);
  }
}

TEST(MultigridOnDiffusion, CycleIsSymmetricAndPositive) {
  for (Problem const& problem : pass_problems()) {
    if (problem.walls == BoundaryKind::neumann && problem.mass == 0) continue;
    auto const a = make(problem);
    for (std::string const kind : {"red_black", "chebyshev", "jacobi"}) {
      Multigrid multigrid({.smoother = {.name = kind, .sweeps = 2}});
      multigrid.prepare(*a);
      auto const x = a->create_vector();
      auto const y = a->create_vector();
      auto const mx = a->create_vector();
      auto const my = a->create_vector();
      x->randomize(1);
      y->randomize(2);
      multigrid.apply(*x, *mx);
      double const product = multigrid.apply_dot(*y, *my);
      EXPECT_GT(product, 0);
      EXPECT_NEAR(product, y->dot(*my), 1e-12 * product);
      EXPECT_GT(x->dot(*mx), 0);
      // A cycle accumulates a few hundred roundings, each of the size of the sums. If both sweeps used the forward
      // order, the difference would be a tenth.
      double const size = std::sqrt(x->dot(*mx) * y->dot(*my));
      EXPECT_NEAR(x->dot(*my), y->dot(*mx), 1000 * epsilon * size) << problem.cells[0];
    }
  }
}

TEST(MultigridOnDiffusion, IterationsDoNotGrowWithTheMesh) {
  for (bool const nodes : {false, true}) {
    Centring const centring = nodes ? Centring::node : Centring::cell;
    // Cells take fewer than ten iterations. Walls of nodes move when coarsened, which costs a few more.
    Index const bound = nodes ? 14 : 9;
    for (Index const n : {16, 32, 64, 128, 256}) {
      EXPECT_LE(solve_random(*make({.cells = {n, n}, .centring = centring}), 1e-8).iterations, bound) << n;
    }
    for (Index const n : {8, 16, 32, 48}) {
      EXPECT_LE(solve_random(*make({.cells = {n, n, n}, .centring = centring}), 1e-8).iterations, bound) << n;
    }
  }
  for (Index const n : {100, 1000, 10000}) EXPECT_LE(solve_random(*make({.cells = {n}}), 1e-8).iterations, 12) << n;
}

TEST(MultigridOnDiffusion, AnySizeConverges) {
  std::vector<std::vector<Index>> const sizes{{1},       {2},         {3},         {97},        {1, 1},   {2, 2},
                                              {1, 50},   {17, 31},    {53, 101},   {400, 3},    {2, 300}, {1, 1, 1},
                                              {2, 3, 5}, {64, 64, 1}, {31, 37, 2}, {17, 19, 23}};
  for (auto const& cells : sizes) {
    for (bool const varying : {false, true}) {
      std::unique_ptr<Operator> a;
      try {
        a = make({.cells = cells, .varying = varying});
      } catch (InputError const&) {
        continue;  // fewer cells than ranks
      }
      SolveReport const report = solve_random(*a, 1e-9);
      EXPECT_TRUE(reached(report.outcome)) << to_string(report.outcome) << " " << cells[0];
      EXPECT_LE(report.iterations, 20) << cells[0];
    }
  }
}

TEST(MultigridOnDiffusion, WeakAxesAreNotCoarsened) {
  // A tenth of the cells along y over the same length: couplings differ by a factor of a hundred.
  SolveReport const report = solve_random(*make({.cells = {200, 20}}), 1e-8);
  EXPECT_TRUE(reached(report.outcome));
  EXPECT_LE(report.iterations, 12);
}

TEST(MultigridOnDiffusion, JumpsOfTenThousandConverge) {
  for (std::vector<Index> const& cells : {std::vector<Index>{128, 128}, {131, 127}, {40, 40, 40}}) {
    SolveReport const report = solve_random(*make({.cells = cells, .varying = true}), 1e-8);
    EXPECT_TRUE(reached(report.outcome));
    EXPECT_LE(report.iterations, 14);
  }
}

TEST(MultigridOnDiffusion, InsulatedWallsWithoutMassAreSafe) {
  for (bool const varying : {false, true}) {
    auto const a = make({.cells = {60, 45}, .varying = varying, .walls = BoundaryKind::neumann});
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    auto const guess = a->create_vector();
    guess->randomize(1);
    a->apply(*guess, *b);  // a right-hand side that has solutions
    ConjugateGradients solver = multigrid_cg(1e-8);
    solver.prepare(*a);
    SolveReport const report = solver.solve(*a, *b, *x);
    EXPECT_TRUE(reached(report.outcome)) << to_string(report.outcome) << " " << report.remark;
    EXPECT_LE(report.iterations, 40);
  }
}

TEST(MultigridOnDiffusion, StepByStepIsTheSamePreconditioner) {
  auto const a = make({.cells = {120, 110}, .varying = true});
  StepByStep const plain(*a);
  Multigrid fused;
  Multigrid steps;
  fused.prepare(*a);
  steps.prepare(plain);
  auto const r = a->create_vector();
  auto const x = a->create_vector();
  auto const y = a->create_vector();
  r->randomize(1);
  fused.apply(*r, *x);
  steps.apply(*r, *y);
  EXPECT_LE(relative_difference(*x, *y), 1e-10);
}

/// On devices that run all small levels in one launch.
TEST(MultigridOnDiffusion, ResidentCyclesHaveTheBitsOfTheirPasses) {
  for (Problem const& problem : {Problem{.cells = {64, 64, 64}}, Problem{.cells = {48, 56, 40}, .mass = 1},
                                 Problem{.cells = {37, 29, 41}, .varying = true}, Problem{.cells = {19, 1, 23}},
                                 Problem{.cells = {211, 187}}, Problem{.cells = {150, 14}, .stretched = true},
                                 Problem{.cells = {64, 64}, .centring = Centring::node}, Problem{.cells = {5001}}}) {
    SCOPED_TRACE(std::to_string(problem.cells[0]) + " cells");
    auto const a = make(problem, this_rank());
    StepByStep const pass_by_pass(*a, true);
    for (int const sweeps : {1, 2, 3}) {
      MultigridSettings const settings{.smoother = {.sweeps = sweeps}, .start = MultigridStart::full};
      Multigrid resident(settings);
      Multigrid passes(settings);
      resident.prepare(*a);
      passes.prepare(pass_by_pass);
      auto const r = a->create_vector();
      auto const x = a->create_vector();
      auto const y = a->create_vector();
      r->randomize(1);
      for (bool const starts : {false, true}) {
        for (auto const& [multigrid, z] : {std::pair{&resident, x.get()}, {&passes, y.get()}}) {
          starts ? multigrid->start(*r, *z) : multigrid->apply(*r, *z);
        }
        EXPECT_GT(x->maximum(), 0);
        x->add(-1, *y);
        EXPECT_EQ(x->maximum(), 0);
      }
    }
  }
}

TEST(MultigridOnDiffusion, DevicesHaveResidentCyclesOfSmallLevels) {
  for (auto const& [cells, is_small] :
       {std::pair<std::vector<Index>, bool>{{32, 32, 32}, true}, {{33, 32, 32}, false}}) {
    auto const a = make({.cells = cells}, this_rank());
    std::vector<std::unique_ptr<Coarsening>> ways;
    std::vector<std::unique_ptr<Vector>> vectors;
    std::vector<CycleLevel> levels;
    for (Operator const* at = a.get(); at != nullptr; at = ways.back() != nullptr ? &ways.back()->coarse() : nullptr) {
      ways.push_back(at->coarsen());
      vectors.push_back(at->create_vector());
      Vector const* const b = vectors.back().get();
      vectors.push_back(at->create_vector());
      levels.push_back({b, vectors.back().get(), ways.back().get()});
    }
    auto const cycle = ways.front()->passes()->resident_cycle(levels, 2, *levels.back().b);
    EXPECT_EQ(cycle != nullptr, is_small && !kernel::is_host<Execution> && kernel::clusters_have_many_blocks);
  }
}

/// A replayed cycle works on the current contents of the same vectors.
TEST(MultigridOnDiffusion, ACycleDependsOnTheContentOfItsVectors) {
  for (auto const& cells : {std::vector<Index>{50, 40}, {40, 30, 20}}) {
    auto const a = make({.cells = cells});
    Multigrid again;
    again.prepare(*a);
    auto const r = a->create_vector();
    auto const z = a->create_vector();
    auto const expected = a->create_vector();
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      Multigrid once;
      once.prepare(*a);
      r->randomize(seed);
      double const product = once.apply_dot(*r, *expected);
      EXPECT_EQ(again.apply_dot(*r, *z), product) << seed;
      again.apply(*r, *z);
      expected->add(-1, *z);
      EXPECT_EQ(expected->maximum(), 0) << seed;
    }
  }
}

/// Residuals are scaled, since they may be far below the range of single precision.
TEST(MultigridOnDiffusion, CyclesInSinglePrecisionTakeNoMoreIterations) {
  for (Problem const& problem : {Problem{.cells = {101, 90}}, Problem{.cells = {40, 37, 41}},
                                 Problem{.cells = {60, 45}, .stretched = true, .varying = true},
                                 Problem{.cells = {40, 48}, .mass = 1, .periodic = {true, true, false}}}) {
    auto const a = make(problem);
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    MultigridSettings settings;
    Index iterations[2] = {0, 0};
    for (double const size : {1.0, 1e-100}) {
      for (bool const single : {false, true}) {
        settings.single_precision = single;
        // With jumps of 1e4 single precision affects the last attainable digits.
        double const tolerance = problem.varying ? 1e-7 : 1e-11;
        ConjugateGradients solver({.relative = tolerance, .absolute = 0, .iterations = 100}, make_multigrid(settings));
        solver.prepare(*a);
        b->randomize(3);
        b->scale(size);
        x->fill(0);
        SolveReport const report = solver.solve(*a, *b, *x);
        EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
        iterations[single ? 1 : 0] = report.iterations;
      }
      EXPECT_LE(iterations[1], iterations[0] + 1) << size;
    }
  }
}

/// Successive solves have residuals of very different size.
TEST(MultigridOnDiffusion, CyclesInSinglePrecisionTakeResidualsOfAnySize) {
  auto const a = make({.cells = {40, 37}});
  auto const cycles = make_multigrid({.single_precision = true});
  cycles->prepare(*a);
  auto const r = a->create_vector();
  auto const z = a->create_vector();
  auto const first = a->create_vector();
  r->randomize(1);
  double const product = cycles->apply_dot(*r, *first);
  EXPECT_GT(product, 0);
  for (int const exponent : {-1, 0, 200, -200, -190, 100, 0, -120, 0, -140, 0, -145, -10}) {
    double const size = std::exp2(exponent);
    auto const scaled = a->create_vector();
    scaled->copy(*r);
    scaled->scale(size);
    EXPECT_EQ(cycles->apply_dot(*scaled, *z), product * size * size) << exponent;
    z->scale(1 / size);
    z->add(-1, *first);
    EXPECT_EQ(z->maximum(), 0) << exponent;
    cycles->apply(*scaled, *z);
    z->scale(1 / size);
    z->add(-1, *first);
    EXPECT_EQ(z->maximum(), 0) << exponent;
  }
}

TEST(MultigridOnDiffusion, CyclesInSinglePrecisionSayWhatTheyCannotHave) {
  auto const mesh = unit_mesh({12, 10});
  auto const tiny = cell_field<double>(mesh, [](Index, Index, Index) { return 1e-36; });
  auto const plain = make({.cells = {12, 10}});
  StepByStep const in_double_only(*plain);
  auto const beyond =
      make_diffusion<double>({.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet)}, {.conductivity = &tiny});
  for (auto const& [a, remark] :
       {std::pair<Operator const*, std::string>{&in_double_only, "the operator has no single-precision form"},
        {beyond.get(),
         "the operator's entries are out of the range of single precision; choose `precision: run` for cycles"}}) {
    ConjugateGradients solver({.relative = 1e-8, .absolute = 0, .iterations = 9},
                              make_multigrid({.single_precision = true}));
    solver.prepare(*a);
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    b->randomize(1);
    SolveReport const report = solver.solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::breakdown);
    EXPECT_EQ(report.remark, remark);
  }
}

TEST(MultigridOnDiffusion, IsASolverToo) {
  for (auto const& cells : {std::vector<Index>{96, 80}, {24, 24, 24}}) {
    auto const a = make({.cells = cells});
    MultigridSolver solver({.relative = 1e-9, .absolute = 0, .iterations = 60}, {});
    auto const b = a->create_vector();
    auto const x = a->create_vector();
    b->randomize(1);
    solver.prepare(*a);
    SolveReport const report = solver.solve(*a, *b, *x);
    EXPECT_EQ(report.outcome, Outcome::converged) << report.remark;
    EXPECT_LE(report.true_residual, 1e-9 * report.initial_residual);
  }
}

TEST(MultigridOnDiffusion, AnyNumberOfRanksHasTheAnswerOfOne) {
  for (Problem const& problem : pass_problems()) {
    if (problem.walls == BoundaryKind::neumann && problem.mass == 0) continue;
    auto const spread = make(problem);
    auto const whole = make(problem, this_rank());
    auto const solve = [](Operator const& a) {
      auto const b = a.create_vector();
      auto x = a.create_vector();
      b->randomize(3);
      ConjugateGradients solver = multigrid_cg(1e-12);
      solver.prepare(a);
      SolveReport const report = solver.solve(a, *b, *x);
      EXPECT_TRUE(reached(report.outcome)) << to_string(report.outcome);
      return x;
    };
    auto const x = solve(*spread);
    auto const y = solve(*whole);
    // A solve ends at the latest when rounding explains its residual, 10 epsilon |A| |x|. The error is at most that
    // divided by the smallest eigenvalue. Relative to x it is 10 epsilon times the condition number: 1.6e8 for 20011
    // cells in a row.
    EXPECT_NEAR(std::sqrt(x->square() / y->square()), 1, 1e-6);
    EXPECT_NEAR(x->maximum() / y->maximum(), 1, 1e-6);
  }
}

TEST(MultigridOnDiffusion, SinglePrecisionConverges) {
  auto const mesh = unit_mesh({60, 70});
  auto const a = make_diffusion<float>({.mesh = mesh, .conditions = all_walls(BoundaryKind::dirichlet)});
  SolveReport const report = solve_random(*a, 1e-4);
  EXPECT_TRUE(reached(report.outcome)) << to_string(report.outcome);
  EXPECT_LE(report.iterations, 8);
}

}  // namespace
}  // namespace halocline
