#include "physics/equations/equation_system.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/stage_sweeps.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

/// Two coupled fields; the rate depends on neighbours along all axes, position and time.
template <class Real, int Axes>
struct TwoFields {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v) const {
    return {at.laplacian(u) + u[here] * v[here],
            at.template derivative<Axes - 1>(v) - at.time() * u[here] + at.position(0)};
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION Real fastest(P const& at, U const& u, V const& v) const {
    return u[here] + v[here] * at.inverse_spacing(0);
  }
};

/// Values of the n-th field of a state by global index, periodic along each axis.
double value_of(int state, int field, std::array<Index, 3> const& at, Extents const& cells) {
  double phase = 0.7 * state + 1.3 * field;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Index const i = (at[axis] + cells[axis]) % cells[axis];
    phase += 0.4 * static_cast<double>(i) * static_cast<double>(axis + 1);
  }
  return 1.5 + std::sin(phase);
}

constexpr double time_of_stage = 0.3;

/// Cells of a mesh whose axes are all periodic, and states with the values above.
template <class Real, int Axes>
class Setting {
 public:
  explicit Setting(std::vector<Index> const& cells, int blocks_per_rank = 1, Expression const& source = Expression(0.0))
      : mesh(test::unit_mesh(cells, {.periodic = {true, true, true}, .blocks_per_rank = blocks_per_rank})),
        like(fields_of(0)) {
    EquationField field{.source = source, .source_name = "source", .walls = test::all_walls(BoundaryKind::periodic)};
    for (int axis = Axes; axis < 3; ++axis) {
      for (int const side : {-1, 1}) field.walls.at(axis, side).kind = BoundaryKind::neumann;
    }
    std::vector<EquationField> const both(2, field);
    system = std::make_unique<EquationSystem<Real>>(
        mesh, like, both,
        StagesOfLaw<Real>{
            std::make_unique<StageSweeps<Real, TwoFields<Real, Axes>, Axes>>(mesh, TwoFields<Real, Axes>{}), nullptr});
  }

  [[nodiscard]] std::unique_ptr<Vector> state(int number) const {
    auto made = system->create_state();
    set(number, dynamic_cast<FieldVector<Real>&>(*made).fields());
    return made;
  }

  /// States 1, 2, …; the n-th has the weight 0.25 n.
  struct Terms {
    std::vector<std::unique_ptr<Vector>> states;
    std::vector<WeightedVector> weighted;
  };
  [[nodiscard]] Terms terms(int count) const {
    Terms all;
    for (int n = 1; n <= count; ++n) {
      all.states.push_back(state(n));
      all.weighted.push_back({0.25 * n, all.states.back().get()});
    }
    return all;
  }

  /// The rate of a field of state 0 at a cell, computed on the host.
  [[nodiscard]] double rate(int field, std::array<Index, 3> const& at) const {
    Extents const cells = mesh->extents(Centring::cell);
    double const u = value_of(0, 0, at, cells);
    double const v = value_of(0, 1, at, cells);
    auto const beside = [&](int of, int axis, Index step) {
      std::array<Index, 3> there = at;
      there[static_cast<std::size_t>(axis)] += step;
      return value_of(0, of, there, cells);
    };
    if (field == 1) {
      double const spacing = mesh->axis(Axes - 1).spacing();
      double const derivative = (beside(1, Axes - 1, 1) - beside(1, Axes - 1, -1)) / (2 * spacing);
      return derivative - time_of_stage * u + mesh->coordinate(0, Centring::cell, at[0]);
    }
    double laplacian = 0;
    for (int axis = 0; axis < Axes; ++axis) {
      laplacian += (beside(0, axis, 1) - 2 * u + beside(0, axis, -1)) / std::pow(mesh->axis(axis).spacing(), 2);
    }
    return laplacian + u * v;
  }

  /// The largest difference between `got` and `expected(field, global index)` on this rank.
  template <class Expected>
  [[nodiscard]] double error(Vector const& got, Expected const& expected) const {
    auto const& fields = dynamic_cast<FieldVector<Real> const&>(got).fields();
    double largest = 0;
    for (int field = 0; field < 2; ++field) {
      Field<Real> const& values = *fields[static_cast<std::size_t>(field)];
      for (Block const& block : mesh->blocks()) {
        std::vector<Real> host(static_cast<std::size_t>(values.owned(block).size()));
        values.copy_owned(block, 0, std::as_writable_bytes(std::span(host)));
        std::size_t n = 0;
        each(block, [&](std::array<Index, 3> const& at) {
          double const should = expected(field, at);
          largest = std::max(largest, std::abs(static_cast<double>(host[n++]) - should));
        });
      }
    }
    return largest;
  }

  /// Rounding of a stage: the Laplacian is a difference of a few numbers up to 2.5 / spacing^2.
  [[nodiscard]] double rounding() const {
    double weight = 10;
    for (int axis = 0; axis < Axes; ++axis) weight += 10 / std::pow(mesh->axis(axis).spacing(), 2);
    return 8 * weight * std::numeric_limits<Real>::epsilon();
  }

  std::shared_ptr<StructuredMesh const> mesh;
  FieldVector<Real> like;
  std::unique_ptr<EquationSystem<Real>> system;

 private:
  template <class Visit>
  static void each(Block const& block, Visit const& visit) {
    for (Index k = block.cells.begin[2]; k < block.cells.end[2]; ++k) {
      for (Index j = block.cells.begin[1]; j < block.cells.end[1]; ++j) {
        for (Index i = block.cells.begin[0]; i < block.cells.end[0]; ++i) visit(std::array<Index, 3>{i, j, k});
      }
    }
  }
  void set(int number, Fields<Real> const& fields) const {
    for (int field = 0; field < 2; ++field) {
      for (Block const& block : mesh->blocks()) {
        std::vector<Real> host;
        each(block, [&](std::array<Index, 3> const& at) {
          host.push_back(static_cast<Real>(value_of(number, field, at, mesh->extents(Centring::cell))));
        });
        fields[static_cast<std::size_t>(field)]->set_owned(block, 0, std::as_bytes(std::span(host)));
      }
    }
  }
  [[nodiscard]] Fields<Real> fields_of(int number) const {
    Fields<Real> fields;
    for (char const* const name : {"u", "v"}) {
      fields.push_back(std::make_shared<Field<Real>>(mesh, FieldDescription{.name = name, .ghosts = 1}));
    }
    set(number, fields);
    return fields;
  }
};

/// A stage of `terms` terms, with and without its slope, compared with the host.
template <class Real, int Axes>
void check_stages(std::vector<Index> const& cells, int blocks_per_rank) {
  Setting<Real, Axes> setting(cells, blocks_per_rank);
  Extents const all = setting.mesh->extents(Centring::cell);
  for (int terms = 0; terms <= 6; ++terms) {
    for (bool const with_slope : {false, true}) {
      auto const y = setting.state(0);
      auto const given = setting.terms(terms);
      auto const out = setting.system->create_state();
      auto const slope = setting.system->create_state();
      setting.system->evaluate(RatePart::whole, time_of_stage, *y, 0.5, given.weighted, 0.125, *out,
                               with_slope ? slope.get() : nullptr);
      auto const expected = [&](int field, std::array<Index, 3> const& at) {
        double sum = 0.5 * value_of(0, field, at, all) + 0.125 * setting.rate(field, at);
        for (int n = 1; n <= terms; ++n) sum += 0.25 * n * value_of(n, field, at, all);
        return sum;
      };
      EXPECT_LE(setting.error(*out, expected), setting.rounding()) << terms << " terms on " << all[0];
      if (!with_slope) continue;
      auto const rate = [&](int field, std::array<Index, 3> const& at) { return setting.rate(field, at); };
      EXPECT_LE(setting.error(*slope, rate), setting.rounding()) << "slope beside " << terms << " terms";
    }
  }
}

// Every rank needs a cell in each block along the decomposed axes.
TEST(EquationSystem, StagesAreWhatTheHostFinds) {
  for (Index const cells : {8, 13, 29}) check_stages<double, 1>({cells}, 1);
  for (std::vector<Index> const& cells : {std::vector<Index>{8, 4}, {31, 17}, {1, 8}})
    check_stages<double, 2>(cells, 1);
  for (std::vector<Index> const& cells : {std::vector<Index>{8, 4, 2}, {7, 13, 5}}) check_stages<double, 3>(cells, 1);
  check_stages<float, 2>({19, 23}, 1);
}

TEST(EquationSystem, StagesOnSeveralBlocksAreTheSame) {
  check_stages<double, 2>({31, 17}, 2);
  check_stages<double, 3>({7, 13, 11}, 2);
}

// A stage reads what the previous one wrote: its ghosts are exchanged, whatever was swapped or combined in between.
TEST(EquationSystem, GhostsFollowTheValues) {
  Setting<double, 2> setting({13, 11});
  auto const stage_of = [&](Vector& y) {
    auto out = setting.system->create_state();
    setting.system->evaluate(RatePart::whole, time_of_stage, y, 0, {}, 1, *out, nullptr);
    return out;
  };
  auto const rate = [&](int field, std::array<Index, 3> const& at) { return setting.rate(field, at); };
  auto const y = setting.state(0);
  auto const other = setting.state(1);
  for (int step = 0; step < 3; ++step) {
    // Both are read here, so that later writes to either start an exchange; the exchange of one is then pending for the
    // other.
    EXPECT_LE(setting.error(*stage_of(*y), rate), setting.rounding());
    static_cast<void>(stage_of(*other));
    setting.system->evaluate(RatePart::whole, time_of_stage, *y, 1, {}, 0, *other, nullptr);
    y->swap(*other);
    EXPECT_LE(setting.error(*stage_of(*y), rate), setting.rounding()) << "after a swap, in step " << step;
    other->assign({{0.5, y.get()}, {0.5, y.get()}});
    EXPECT_LE(setting.error(*stage_of(*other), rate), setting.rounding()) << "of a combination, in step " << step;
    // An exchange is under way for a state that is then overwritten.
    setting.system->evaluate(RatePart::whole, time_of_stage, *y, 2, {}, 0, *other, nullptr);
    other->copy(*y);
    EXPECT_LE(setting.error(*stage_of(*other), rate), setting.rounding()) << "of a copy, in step " << step;
  }
}

TEST(EquationSystem, SourcesAreOfTheStagesTime) {
  Setting<double, 2> setting({13, 11}, 1, Expression("1 + t + x"));
  Extents const all = setting.mesh->extents(Centring::cell);
  for (double const time : {0.3, 0.7, 0.7, 0.3}) {
    for (int terms = 0; terms <= 4; ++terms) {
      auto const y = setting.state(0);
      auto const x = setting.state(1);
      std::vector<WeightedVector> const weighted(static_cast<std::size_t>(terms), {0.25, x.get()});
      auto const out = setting.system->create_state();
      auto const slope = setting.system->create_state();
      setting.system->evaluate(RatePart::whole, time, *y, 0, weighted, 2, *out, slope.get());
      auto const rate = [&](int field, std::array<Index, 3> const& at) {
        double const source = 1 + time + setting.mesh->coordinate(0, Centring::cell, at[0]);
        double const later = field == 1 ? (time_of_stage - time) * value_of(0, 0, at, all) : 0;
        return setting.rate(field, at) + later + source;
      };
      EXPECT_LE(setting.error(*slope, rate), setting.rounding());
      auto const expected = [&](int field, std::array<Index, 3> const& at) {
        return 2 * rate(field, at) + 0.25 * terms * value_of(1, field, at, all);
      };
      EXPECT_LE(setting.error(*out, expected), 2 * setting.rounding());
    }
  }
}

/// The same rate with only one form of stages compiled.
struct InOneForm : TwoFields<double, 2> {
  static constexpr bool is_long = true;
};

// If `slope` or `out` is also a term, the stage uses its old contents.
TEST(EquationSystem, StagesOfOneFormAreThoseOfAll) {
  Setting<double, 2> setting({13, 11});
  EquationField field;
  field.walls = test::all_walls(BoundaryKind::periodic);
  for (int const side : {-1, 1}) field.walls.at(2, side).kind = BoundaryKind::neumann;
  EquationSystem<double> one_form(
      setting.mesh, setting.like, std::vector<EquationField>(2, field),
      {std::make_unique<StageSweeps<double, InOneForm, 2>>(setting.mesh, InOneForm{}), nullptr});
  Extents const all = setting.mesh->extents(Centring::cell);
  for (int terms = 0; terms <= 4; ++terms) {
    for (bool const in_place : {false, true}) {
      auto const y = setting.state(0);
      auto const [states, weighted] = setting.terms(terms);
      auto const other = setting.system->create_state();
      auto const another = setting.system->create_state();
      Vector& out = in_place && terms > 1 ? *states[1] : *other;
      Vector& slope = in_place && terms > 0 ? *states[0] : *another;
      one_form.evaluate(RatePart::whole, time_of_stage, *y, 0.5, weighted, 0.125, out, &slope);
      auto const expected = [&](int of, std::array<Index, 3> const& at) {
        double sum = 0.5 * value_of(0, of, at, all) + 0.125 * setting.rate(of, at);
        for (int n = 1; n <= terms; ++n) sum += 0.25 * n * value_of(n, of, at, all);
        return sum;
      };
      EXPECT_LE(setting.error(out, expected), setting.rounding()) << terms << " terms, " << in_place;
      auto const rate = [&](int of, std::array<Index, 3> const& at) { return setting.rate(of, at); };
      EXPECT_LE(setting.error(slope, rate), setting.rounding()) << terms << " terms, " << in_place;
    }
  }
}

TEST(EquationSystem, CombinesAnyNumberOfStatesInPlace) {
  Setting<double, 2> setting({13, 11});
  Extents const all = setting.mesh->extents(Centring::cell);
  for (int terms = 1; terms <= 9; ++terms) {
    std::vector<std::unique_ptr<Vector>> states;
    std::vector<WeightedVector> weighted;
    for (int n = 0; n < terms; ++n) {
      states.push_back(setting.state(n));
      weighted.push_back({1.0 + n, states.back().get()});
    }
    // The last state is also the destination.
    states.back()->assign(weighted);
    auto const expected = [&](int field, std::array<Index, 3> const& at) {
      double sum = 0;
      for (int n = 0; n < terms; ++n) sum += (1.0 + n) * value_of(n, field, at, all);
      return sum;
    };
    // Up to nine terms, each at most 9 * 2.5.
    EXPECT_LE(setting.error(*states.back(), expected), 9 * 9 * 22.5 * std::numeric_limits<double>::epsilon()) << terms;
  }
}

TEST(EquationSystem, TheScaledMaximumIsTheLargestOfAllFieldsAndRanks) {
  Setting<double, 2> setting({13, 11});
  Extents const all = setting.mesh->extents(Centring::cell);
  auto const error = setting.state(0);
  auto const before = setting.state(1);
  auto const after = setting.state(2);
  double expected = 0;
  double fastest = 0;
  for (Index j = 0; j < all[1]; ++j) {
    for (Index i = 0; i < all[0]; ++i) {
      std::array<Index, 3> const at{i, j, 0};
      fastest = std::max(fastest, value_of(0, 0, at, all) + value_of(0, 1, at, all) * 13);
      for (int field = 0; field < 2; ++field) {
        double const largest = std::max(value_of(1, field, at, all), value_of(2, field, at, all));
        expected = std::max(expected, value_of(0, field, at, all) / (0.125 + 0.5 * largest));
      }
    }
  }
  EXPECT_DOUBLE_EQ(error->scaled_maximum(*before, *after, 0.125, 0.5), expected);
  // A field that is zero and has no error satisfies a purely relative tolerance.
  auto const zero = setting.system->create_state();
  EXPECT_EQ(zero->scaled_maximum(*zero, *zero, 0, 0.5), 0);
  auto const bound = setting.system->fastest(0, dynamic_cast<FieldVector<double>&>(*error));
  ASSERT_TRUE(bound.has_value());
  EXPECT_DOUBLE_EQ(*bound, fastest);
}

TEST(EquationSystem, HasNoImplicitPartUnlessDeclared) {
  Setting<double, 1> setting({8});
  auto const right = setting.state(0);
  auto const out = setting.state(1);
  EXPECT_THROW(static_cast<void>(setting.system->solve(0, 1, *right, *out)), DefectError);
}

}  // namespace
}  // namespace halocline
