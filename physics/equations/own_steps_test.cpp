#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "framework/field/test_fields.hpp"
#include "physics/equations/equations.hpp"
#include "physics/equations/test_declared.hpp"
#include "physics/equations/test_problems.hpp"

namespace halocline {
namespace {

using test::make;
using test::message_of;
using test::quantity;
using test::unit_mesh;

/// Two strings that pull at each other: d2u/dt2 = c^2 d2u/dx2 - k (u - v), and the same for v.
template <class Real, int Axes>
struct Strings {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int fields = 2;
  static constexpr int coefficient_fields = 1;
  static constexpr int order_in_time = 2;
  static constexpr Shape input_shape(int n) { return n < 2 ? shape : point; }
  explicit Strings(Options const& own) : k(static_cast<Real>(own.real("pull"))) {}
  template <class P, class U, class V, class S>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const& at, U const& u, V const& v, S const& speed_squared) const {
    Real const force = k * (u[here] - v[here]);
    return {speed_squared[here] * at.laplacian(u) - force, speed_squared[here] * at.laplacian(v) + force};
  }
  template <class P, class U, class V, class S>
  KOKKOS_FUNCTION Real fastest(P const& at, U const&, V const&, S const& speed_squared) const {
    Real largest = 0;
    for (int axis = 0; axis < Axes; ++axis) largest += 4 * at.inverse_square(axis);
    return Kokkos::sqrt(speed_squared[here] * largest + 2 * k) / 2;
  }
  Real k;
};

PhysicsEntry strings() {
  Equations equations("strings", "Two strings.");
  equations.options().real("pull", "How strongly they pull.");
  equations.second_order().speed("speed", "Speed of waves.", "1").sponge();
  equations.field("u", "One.", "0").field("v", "The other.", "0").integral("u").integral("v");
  return equations.evolution<Strings, 1, 2>();
}

// Their sum is a wave at the speed c; their difference one of frequency sqrt(c^2 k^2 + 2 pull).
TEST(SecondOrder, StringsThatPullSwing) {
  auto const error = [&](std::string const& speed, Index cells, int steps) {
    std::string const together = "cos(2*2*pi*t)*sin(2*pi*x)";
    std::string const apart = "cos(sqrt(16*pi*pi+18)*t)*cos(2*pi*x)";
    auto const physics =
        make(strings(),
             "strings: {pull: 9, speed: " + speed + ", u: {initial: \"sin(2*pi*x) + cos(2*pi*x)\", exact: \"" +
                 together + " + " + apart + "\"}, v: {initial: \"sin(2*pi*x) - cos(2*pi*x)\", exact: \"" + together +
                 " - " + apart + "\"}}\ntime: {step: " + std::to_string(0.25 / steps) + "}",
             unit_mesh({cells}, {.periodic = {true, true, true}}));
    // The largest eigenvalue is at most 4 (c / width)^2 + 2 pull.
    EXPECT_NEAR(physics->stable_step(), 2 / std::sqrt(16.0 * static_cast<double>(cells * cells) + 18), 1e-12);
    test::run(*physics, 0.25, steps);
    return std::max(quantity(*physics, "error_2(u)"), quantity(*physics, "error_2(v)"));
  };
  for (std::string const speed : {"2", "\"2 + 0*x\""}) {
    EXPECT_NEAR(std::log2(error(speed, 40, 64) / error(speed, 80, 128)), 2, 0.1) << speed;
  }
}

// Numbers as coefficients and fields of the same numbers have the same results, with a sponge too.
TEST(SecondOrder, NumbersAreFieldsOfTheSameNumbers) {
  for (std::string const sponge : {"", ", sponge: {width: 0.25}"}) {
    auto const at_end = [&](std::string const& speed) {
      std::string deck = "strings: {pull: 1, speed: ";
      deck.append(speed).append(sponge).append(
          ", u: {initial: \"exp(-50*(x-0.4)^2)\", initial_rate: \"x*y\", "
          "boundary: {west: {kind: dirichlet}}}, v: {source: \"x*t\"}, sources: "
          "[{field: v, position: [0.5, 0.5], strength: \"sin(t)\"}]}\ntime: {step: 0.02}");
      auto const physics = make(strings(), deck, unit_mesh({13, 11}));
      test::run(*physics, 0.4, 20);
      EXPECT_TRUE(physics->conserved().empty());
      return std::array<double, 2>{quantity(*physics, "integral(u)"), quantity(*physics, "integral(v)")};
    };
    auto const numbers = at_end("1.5");
    auto const fields = at_end("\"1.5 + 0*x\"");
    for (std::size_t n = 0; n < 2; ++n) EXPECT_NEAR(numbers[n], fields[n], 1e-13 * std::abs(fields[n])) << sponge << n;
    EXPECT_GT(std::abs(numbers[1]), 1e-3);
  }
}

// The integral of v grows by those of the sources: d2/dt2 of it is 1 + 2 t, if nothing pulls and walls are closed.
TEST(SecondOrder, SourcesAreAddedOfBothKinds) {
  for (std::string const more : {", v: {initial_rate: 1, source: \"2*t\"}", ", v: {initial_rate: 1}"}) {
    auto const physics =
        make(strings(), "strings: {pull: 0" + more + ", sources: [{field: v, position: [0.3]}]}\ntime: {step: 0.005}",
             unit_mesh({17}));
    test::run(*physics, 0.5, 100);
    double const cubic = more.find("source") != std::string::npos ? 0.125 / 3 : 0;
    // Leapfrog is exact for polynomials of degree 3 but for its start, whose error is step^2 / 6 times the third
    // derivative, 2, at each of 100 steps.
    EXPECT_NEAR(quantity(*physics, "integral(v)"), 0.5 + 0.125 + cubic, 0.5 * 0.005 * 0.005 / 3 + 1e-12) << more;
    EXPECT_NEAR(quantity(*physics, "integral(u)"), 0, 1e-15);
  }
}

/// x -> r x (1 - x) in every cell, with the neighbours' mean mixed in.
template <class Real, int Axes>
struct Lattice {
  static constexpr Shape shape = star<1, Axes>;
  static constexpr int order_in_time = 0;
  explicit Lattice(Options const&) {}
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    auto const next = [](Real x) { return Real{3.5} * x * (1 - x); };
    return Real{0.75} * next(u[here]) + Real{0.125} * (next(u[west]) + next(u[east]));
  }
};

TEST(Replacement, TakesWhatTheFunctorReturns) {
  Equations equations("lattice", "Coupled maps.");
  equations.only_field("x", "Initial values.", "0").autonomous().magnitude("x");
  auto const entry = equations.evolution<Lattice, 1>();
  EXPECT_TRUE(entry.steps_by_itself);
  Index const cells = 13;
  auto const physics =
      make(entry, "lattice: {initial: x}\ntime: {step: 1}", unit_mesh({cells}, {.periodic = {true, true, true}}));
  EXPECT_EQ(physics->stable_step(), std::numeric_limits<double>::infinity());
  test::run(*physics, 9, 9);
  std::vector<double> x;
  for (Index n = 0; n < cells; ++n) x.push_back((static_cast<double>(n) + 0.5) / static_cast<double>(cells));
  for (int step = 0; step < 9; ++step) {
    std::vector<double> const was = x;
    auto const next = [&](Index n) {
      double const value = was[static_cast<std::size_t>((n + cells) % cells)];
      return 3.5 * value * (1 - value);
    };
    for (Index n = 0; n < cells; ++n)
      x[static_cast<std::size_t>(n)] = 0.75 * next(n) + 0.125 * (next(n - 1) + next(n + 1));
  }
  auto& field = const_cast<Field<double>&>(dynamic_cast<Field<double> const&>(*physics->fields().front()));
  for (Block const& block : field.mesh().blocks()) {
    test::HostCopy<double> host(field, block);
    for (Index i = 0; i < field.owned(block).end[0]; ++i) {
      // A map of slope 3.5 at most, nine times, on a few roundings each.
      EXPECT_NEAR(host(0, i, 0, 0), x[static_cast<std::size_t>(block.cells.begin[0] + i)],
                  1e-16 * 4 * std::pow(3.5, 9));
    }
  }
}

TEST(SecondOrder, IsDeclaredByBoth) {
  EXPECT_EQ(message_of([] {
              Equations equations("strings", "Strings.");
              equations.options().real("pull", "Pull.");
              equations.coefficient("speed", "Speed.", "1").field("u", "One.").field("v", "Other.");
              static_cast<void>(equations.evolution<Strings, 1>());
            }),
            "physics `strings`: `second_order` and a functor with `order_in_time = 2` need each other");
  EXPECT_EQ(message_of([] { Equations("late", "Late.").field("u", "A field.").second_order(); }),
            "physics `late`: `second_order` must come before all fields");
  auto const message = message_of([] {
    Equations equations("lattice", "Maps.");
    equations.transport().only_field("x", "Initial values.", "0");
    static_cast<void>(equations.evolution<Lattice, 1>());
  });
  EXPECT_EQ(message, "physics `lattice`: a flow (`transport`) carries what has a rate of change");
}

TEST(SecondOrder, WhatDoesNotFitIsRefused) {
  auto const refusal = [](auto const& declare) {
    return message_of([&] {
      Equations equations("lattice", "Maps.");
      declare(equations);
      static_cast<void>(equations.evolution<Lattice, 1>());
    });
  };
  std::string const start = "physics `lattice`: ";
  EXPECT_EQ(refusal([](Equations& all) { all.only_field("x", "Values.").energy(); }),
            start + "`energy` needs a functor with `order_in_time = 2`, one field and `double inertia(k...) const`");
  EXPECT_EQ(refusal([](Equations& all) { all.only_field("x", "Values.").peclet("x"); }),
            start + "`peclet` needs `transport`");
  EXPECT_EQ(refusal([](Equations& all) { all.sponge().only_field("x", "Values."); }),
            start + "`sponge` needs `second_order` and `speed`");
  EXPECT_EQ(message_of([] { static_cast<void>(Equations("still", "Still.").field("u", "A field.").transported()); }),
            "physics `still`: `transported` needs `transport`");
}

// A sum of zeros has no sign.
TEST(SecondOrder, TheLargestMagnitudeOfNothingIsZero) {
  Equations equations("lattice", "Maps.");
  equations.only_field("x", "Values.", "0").magnitude("x");
  auto const physics = make(equations.evolution<Lattice, 1>(), "lattice: {}\ntime: {step: 1}", unit_mesh({5}));
  EXPECT_FALSE(std::signbit(quantity(*physics, "maximum")));
}

TEST(SecondOrder, ValuesAreFiniteAtTheStart) {
  EXPECT_EQ(message_of([] {
              static_cast<void>(make(strings(), "strings: {pull: 0, u: {source: \"log(x-0.5)\"}}\ntime: {step: 0.1}",
                                     unit_mesh({8}, {}, test::this_rank())));
            }),
            "`strings.u.source`: 'log(x-0.5)' is not a finite number at (0.0625, 0, 0), t = 0");
}

TEST(SecondOrder, NeedsASpeedAboveZero) {
  auto const message = message_of([] {
    static_cast<void>(make(strings(), "strings: {pull: 0, speed: \"x - 0.5\"}\ntime: {step: 0.1}", unit_mesh({8})));
  });
  EXPECT_EQ(message, "`strings.speed`: 'x - 0.5' is not above 0 everywhere");
}

}  // namespace
}  // namespace halocline
