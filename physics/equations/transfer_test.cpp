#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "framework/operator/coarsening.hpp"
#include "framework/operator/test_problem.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/test_problems.hpp"

// Transfers between levels: restriction, prolongation, and the agglomeration of a small level onto every rank.

namespace halocline {
namespace {

using namespace halocline::test;
using test_problem::values_of;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Problem {
  std::vector<Index> cells;
  bool varying = false;
  Centring centring = Centring::cell;
  Periodicity periodic{};
  int blocks_per_rank = 1;
};

/// Odd, prime and tiny sizes, as far as there is a cell for every rank.
std::vector<Problem> problems() {
  std::vector<Problem> const all{{.cells = {1}},
                                 {.cells = {2}},
                                 {.cells = {3}},
                                 {.cells = {97}},
                                 {.cells = {4001}, .varying = true},
                                 {.cells = {1, 1}},
                                 {.cells = {2, 2}},
                                 {.cells = {53, 101}},
                                 {.cells = {53, 41}, .varying = true},
                                 {.cells = {2, 300}},
                                 {.cells = {64, 80}, .periodic = {true, false, false}},
                                 {.cells = {64, 81}, .varying = true, .periodic = {true, false, false}},
                                 {.cells = {71, 66}, .centring = Centring::node},
                                 {.cells = {2, 3, 5}},
                                 {.cells = {17, 19, 23}, .varying = true},
                                 {.cells = {20, 18, 21}, .centring = Centring::node},
                                 {.cells = {151}, .blocks_per_rank = 2},
                                 {.cells = {127, 101}, .varying = true, .blocks_per_rank = 2},
                                 {.cells = {130, 97}, .periodic = {true, false, false}, .blocks_per_rank = 2},
                                 {.cells = {29, 31, 23}, .centring = Centring::node, .blocks_per_rank = 2}};
  std::vector<Problem> fitting;
  for (Problem const& problem : all) {
    try {
      [[maybe_unused]] auto const mesh =
          unit_mesh(problem.cells, {.periodic = problem.periodic, .blocks_per_rank = problem.blocks_per_rank});
      fitting.push_back(problem);
    } catch (InputError const&) {
      continue;  // fewer cells than ranks
    }
  }
  return fitting;
}

std::unique_ptr<Operator> make(Problem const& problem) {
  auto const mesh =
      unit_mesh(problem.cells, {.periodic = problem.periodic, .blocks_per_rank = problem.blocks_per_rank});
  auto const k =
      cell_field<double>(mesh, [](Index i, Index j, Index l) { return (i / 3 + j / 5 + l / 2) % 2 == 0 ? 1.0 : 1e3; });
  BoundaryConditions conditions = all_walls(BoundaryKind::dirichlet);
  if (problem.periodic[0]) {
    conditions.at(0, -1).kind = BoundaryKind::periodic;
    conditions.at(0, 1).kind = BoundaryKind::periodic;
  }
  return make_diffusion<double>({.mesh = mesh, .centring = problem.centring, .conditions = conditions},
                                {.conductivity = problem.varying ? &k : nullptr});
}

/// An operator and all coarser ones.
struct Hierarchy {
  explicit Hierarchy(Problem const& problem) : finest(make(problem)) {
    for (auto next = finest->coarsen(); next != nullptr; next = coarsenings.back()->coarse().coarsen()) {
      coarsenings.push_back(std::move(next));
    }
  }
  [[nodiscard]] Operator const& level(std::size_t n) const { return n == 0 ? *finest : coarsenings[n - 1]->coarse(); }

  std::unique_ptr<Operator> finest;
  std::vector<std::unique_ptr<Coarsening>> coarsenings;
};

Communicator const& ranks_of(Vector const& x) { return as_field_vector<double>(x).field().mesh().communicator(); }

/// Whether a level was agglomerated from several blocks to a single one on every rank.
bool is_agglomerated(Vector const& fine, Vector const& coarse) {
  auto const blocks = [](Vector const& x) { return as_field_vector<double>(x).field().mesh().block_count(); };
  return blocks(fine) != blocks(coarse);
}

/// Writes 1, 2, 3 … to the unknowns of a coarse level, counted over all its ranks.
void number(Vector& x) {
  Field<double>& field = as_field_vector<double>(x).field();
  Communicator const& ranks = ranks_of(x);
  std::vector<Index> counts(static_cast<std::size_t>(ranks.size()));
  auto const me = static_cast<std::size_t>(ranks.rank());
  for (Block const& block : field.mesh().blocks()) counts[me] += field.owned(block).size();
  ranks.sum(counts);
  double next = 1 + static_cast<double>(std::accumulate(counts.begin(), counts.begin() + ranks.rank(), Index{0}));
  for (Block const& block : field.mesh().blocks()) {
    std::vector<double> values(static_cast<std::size_t>(field.owned(block).size()));
    for (double& value : values) value = next++;
    field.set_owned(block, 0, std::as_bytes(std::span(values)));
  }
}

TEST(Transfers, RestrictionIsTheTransposeOfProlongationEntryByEntry) {
  for (Problem const& problem : problems()) {
    Hierarchy const all(problem);
    for (std::size_t n = 0; n < all.coarsenings.size(); ++n) {
      SCOPED_TRACE(std::to_string(problem.cells[0]) + " cells, level " + std::to_string(n));
      Coarsening const& coarsening = *all.coarsenings[n];
      auto const fine = all.level(n).create_vector();
      auto const parents = all.level(n).create_vector();
      auto const numbers = all.level(n + 1).create_vector();
      auto const coarse = all.level(n + 1).create_vector();
      // P gives every unknown the number of its only parent, which has the weight one.
      number(*numbers);
      coarsening.prolong_add(*numbers, *parents);
      auto const parent = values_of<double>(*parents);
      // Random entries are multiples of 2^-23, so that their sums are exact.
      fine->randomize(1);
      auto const value = values_of<double>(*fine);
      std::vector<double> sums(static_cast<std::size_t>(coarse->size()) + 1);
      for (std::size_t i = 0; i < parent.size(); ++i) {
        ASSERT_GE(parent[i], 1);
        ASSERT_LE(parent[i], static_cast<double>(coarse->size()));
        ASSERT_EQ(parent[i], std::floor(parent[i]));
        sums[static_cast<std::size_t>(parent[i])] += value[i];
      }
      ranks_of(*fine).sum(sums);
      coarse->fill(std::numeric_limits<double>::quiet_NaN());
      coarsening.restrict_to(*fine, *coarse);
      auto const restricted = values_of<double>(*coarse);
      auto const mine = values_of<double>(*numbers);
      for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(restricted[i], sums[static_cast<std::size_t>(mine[i])]);
    }
  }
}

TEST(Transfers, ProlongationAddsToWhatIsThere) {
  for (Problem const& problem : problems()) {
    Hierarchy const all(problem);
    for (std::size_t n = 0; n < all.coarsenings.size(); ++n) {
      auto const x = all.level(n).create_vector();
      auto const zero = all.level(n).create_vector();
      auto const before = all.level(n).create_vector();
      auto const coarse = all.level(n + 1).create_vector();
      x->randomize(1);
      before->copy(*x);
      coarse->randomize(2);
      all.coarsenings[n]->prolong_add(*coarse, *x);
      all.coarsenings[n]->prolong_add(*coarse, *zero);
      zero->add(1, *before);
      zero->add(-1, *x);
      EXPECT_EQ(zero->maximum(), 0) << problem.cells[0];
    }
  }
}

TEST(Transfers, TheResidualIsWhatIsRestricted) {
  for (Problem const& problem : problems()) {
    Hierarchy const all(problem);
    for (std::size_t n = 0; n < all.coarsenings.size(); ++n) {
      auto const b = all.level(n).create_vector();
      auto const x = all.level(n).create_vector();
      auto const r = all.level(n).create_vector();
      auto const got = all.level(n + 1).create_vector();
      auto const expected = all.level(n + 1).create_vector();
      b->randomize(1);
      x->randomize(2);
      (void)all.level(n).residual(*b, *x, *r);
      all.coarsenings[n]->restrict_to(*r, *expected);
      all.coarsenings[n]->residual_restrict(*b, *x, *got);
      got->add(-1, *expected);
      // Up to eight residuals of 16 roundings each.
      EXPECT_LE(got->maximum(), 8 * 16 * epsilon * all.level(n).norm_bound()) << problem.cells[0] << " " << n;
    }
  }
}

TEST(Agglomeration, BringsTheSameOperatorToEveryRank) {
  bool met = false;
  for (Problem const& problem : problems()) {
    Hierarchy const all(problem);
    for (std::size_t n = 0; n < all.coarsenings.size(); ++n) {
      Operator const& spread = all.level(n);
      Operator const& whole = all.level(n + 1);
      auto const x = spread.create_vector();
      auto const everywhere = whole.create_vector();
      if (!is_agglomerated(*x, *everywhere)) continue;
      met = true;
      SCOPED_TRACE(problem.cells[0]);
      ASSERT_EQ(everywhere->size(), x->size());
      EXPECT_EQ(ranks_of(*everywhere).size(), 1);
      Coarsening const& agglomeration = *all.coarsenings[n];
      auto const y = spread.create_vector();
      auto const back = spread.create_vector();
      auto const image = whole.create_vector();
      auto const expected = whole.create_vector();
      // Agglomeration and back changes nothing.
      x->randomize(1);
      agglomeration.restrict_to(*x, *everywhere);
      agglomeration.prolong_add(*everywhere, *back);
      EXPECT_EQ(values_of<double>(*back), values_of<double>(*x));
      // The operator commutes with agglomeration, up to the rounding of a row of seven entries in either form.
      spread.apply(*x, *y);
      agglomeration.restrict_to(*y, *expected);
      whole.apply(*everywhere, *image);
      image->add(-1, *expected);
      EXPECT_LE(image->maximum(), 30 * epsilon * spread.norm_bound());
      EXPECT_NEAR(whole.norm_bound(), spread.norm_bound(), 30 * epsilon * spread.norm_bound());
      // So does the diagonal.
      ASSERT_TRUE(spread.diagonal(*y));
      agglomeration.restrict_to(*y, *expected);
      ASSERT_TRUE(whole.diagonal(*image));
      image->add(-1, *expected);
      EXPECT_LE(image->maximum(), 30 * epsilon * spread.norm_bound());
    }
  }
  EXPECT_TRUE(met);
}

TEST(Agglomeration, IsALevelThatOnlyMoves) {
  for (Problem const& problem : problems()) {
    Hierarchy const all(problem);
    for (std::size_t n = 0; n < all.coarsenings.size(); ++n) {
      auto const b = all.level(n).create_vector();
      auto const x = all.level(n).create_vector();
      auto const coarse = all.level(n + 1).create_vector();
      auto const expected = all.level(n + 1).create_vector();
      Coarsening const& coarsening = *all.coarsenings[n];
      EXPECT_EQ(coarsening.kind() == LevelKind::moved, is_agglomerated(*b, *coarse));
      if (coarsening.kind() != LevelKind::moved) continue;
      EXPECT_EQ(coarsening.passes(), nullptr);
      b->randomize(1);
      x->randomize(2);
      auto const r = b->create();
      static_cast<void>(all.level(n).residual(*b, *x, *r));
      coarsening.restrict_to(*r, *expected);
      coarsening.residual_restrict(*b, *x, *coarse);
      EXPECT_EQ(values_of<double>(*coarse), values_of<double>(*expected));
    }
  }
}

}  // namespace
}  // namespace halocline
