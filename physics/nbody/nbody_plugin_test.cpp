#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/field/field_base.hpp"
#include "framework/plugin/loader.hpp"
#include "physics/nbody/test_points.hpp"
#include "tests/support/communicator.hpp"

// The plugin as in a run, with several blocks on a rank, like several devices of a process.

namespace halocline::nbody {
namespace {

constexpr Index steps = 4;

PhysicsEntry const& entry() {
  static Registry<PhysicsEntry> const registry = [] {
    Registry<PhysicsEntry> all("physics");
    PluginLoader(all).load(PluginLoader::folder_of_this_program() / "nbody.so");
    return all;
  }();
  return registry.find("nbody");
}

Options deck_of(Index bodies, std::string const& schedule) {
  Section root("", "");
  root.section(entry().options);
  return Deck("deck", "nbody: {initial: plummer, plummer: {bodies: " + std::to_string(bodies) +
                          "}, softening: 0.5, schedule: " + schedule + "}")
      .read(root);
}

/// The end of a run: the numbers of each of this rank's bodies, body by body, and the quantities.
struct End {
  Index first = 0;  ///< index of this rank's first body
  std::vector<double> bodies;
  std::vector<Quantity> quantities;
};

constexpr std::size_t numbers = 7;  ///< per body: position, velocity and mass

template <class Real>
void append_bodies(End& end, std::vector<FieldBase const*> const& fields, Block const& block) {
  auto const count = static_cast<std::size_t>(block.cells.end[0] - block.cells.begin[0]);
  std::size_t const before = end.bodies.size();
  end.bodies.resize(before + numbers * count);
  std::size_t column = 0;
  for (FieldBase const* const field : fields) {
    for (int component = 0; component < field->components(); ++component) {
      std::vector<Real> values(count);
      field->copy_owned(block, component, std::as_writable_bytes(std::span(values)));
      for (std::size_t n = 0; n < count; ++n)
        end.bodies[before + numbers * n + column] = static_cast<double>(values[n]);
      ++column;
    }
  }
}

template <class Real>
End run(std::shared_ptr<Communicator> ranks, Index bodies, std::size_t blocks, std::string const& schedule) {
  auto const points = test::points_on(std::move(ranks), bodies, blocks);
  Precision const precision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  auto const physics = entry().create({deck_of(bodies, schedule), nullptr, points, precision, {}});
  for (Index step = 1; step <= steps; ++step)
    static_cast<void>(physics->advance({step, static_cast<double>(step - 1) / 32, 1. / 32}));
  End end;
  end.first = points->blocks().front().cells.begin[0];
  for (Block const& block : points->blocks()) append_bodies<Real>(end, physics->fields(), block);
  end.quantities = physics->quantities();
  return end;
}

template <class Real>
void expect_as_alone(End const& alone, Index bodies, std::size_t blocks, std::string const& schedule) {
  SCOPED_TRACE(std::to_string(bodies) + " bodies, " + std::to_string(blocks) + " blocks a rank, " + schedule + ", " +
               std::to_string(8 * sizeof(Real)) + " bits");
  End const end = run<Real>(halocline::test::communicator().split(0), bodies, blocks, schedule);
  // Sums in another order: the roundings of the n terms of a force, as a random walk, over some steps. Bodies are
  // within about ten scales of the origin, and the quantities are sums of terms whose total is below one.
  double const tolerance = 8 * std::sqrt(static_cast<double>(bodies)) * std::numeric_limits<Real>::epsilon();
  auto const offset = numbers * static_cast<std::size_t>(end.first);
  for (std::size_t n = 0; n < end.bodies.size(); ++n) {
    double const expected = alone.bodies[offset + n];
    ASSERT_NEAR(end.bodies[n], expected, tolerance * (1 + std::abs(expected))) << "number " << n;
  }
  ASSERT_EQ(end.quantities.size(), alone.quantities.size());
  for (std::size_t n = 0; n < end.quantities.size(); ++n)
    ASSERT_NEAR(end.quantities[n].value, alone.quantities[n].value, tolerance) << end.quantities[n].name;
}

template <class Real>
void expect_as_alone_on_all_blocks(Index bodies) {
  Communicator const& all = halocline::test::communicator();
  End const alone = run<Real>(all.split(all.rank()), bodies, 1, "even");
  for (std::size_t const blocks : {2, 3}) {
    for (std::string const schedule : {"even", "queue"}) expect_as_alone<Real>(alone, bodies, blocks, schedule);
  }
}

TEST(NBody, IsThatOfOneBlockOnAnyBlocksAndRanks) {
  for (Index const bodies : {1, 2, 3, 257}) {
    expect_as_alone_on_all_blocks<double>(bodies);
    expect_as_alone_on_all_blocks<float>(bodies);
  }
}

TEST(NBody, RepeatsToTheBitOnTheSameBlocks) {
  for (std::string const schedule : {"even", "queue"}) {
    Communicator const& all = halocline::test::communicator();
    End const first = run<float>(all.split(0), 513, 3, schedule);
    End const second = run<float>(all.split(0), 513, 3, schedule);
    EXPECT_EQ(first.bodies, second.bodies) << schedule;
    ASSERT_EQ(first.quantities.size(), second.quantities.size());
    for (std::size_t n = 0; n < first.quantities.size(); ++n)
      EXPECT_EQ(first.quantities[n].value, second.quantities[n].value) << schedule << ", " << first.quantities[n].name;
  }
}

}  // namespace
}  // namespace halocline::nbody
