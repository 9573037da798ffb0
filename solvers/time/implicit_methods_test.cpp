#include "solvers/time/implicit_methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "framework/runtime/error.hpp"
#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> const some{{-0.5, 0}, {-3, 2}, {0, 4}, {-1e3, 0}};

/// u' = A u + s(t) whose solution is known_solution; all of it is implicit.
SmallSystem::Numbers const coupling{-2, 1, 0.5, -3};
SmallSystem linear_system() {
  return {2, nullptr, coupling, [](double time) {
            SmallSystem::Numbers const u = known_solution(time);
            return SmallSystem::Numbers{-u[0] * u[0] + 2 * u[0] - u[1], std::cos(time) - 0.5 * u[0] + 3 * u[1]};
          }};
}

/// Its solution is phi(t) = 1 + sin t once a transient of rate 1e8 has decayed.
SmallSystem stiff_system() {
  constexpr double rate = 1e8;
  return {1, nullptr, {-rate}, [](double time) { return SmallSystem::Numbers{rate * (1 + std::sin(time))}; }};
}

TEST(ImplicitMethods, HaveTheirAmplificationToRounding) {
  double const gamma = 1 - 1 / std::numbers::sqrt2;
  std::map<std::string, double> const thetas{{"implicit_euler", 1}, {"crank_nicolson", 0.5}, {"theta", 0.7}};
  for (Complex const z : some) {
    for (auto const& [name, theta] : thetas) {
      auto const method = integrator(name, name == "theta" ? "{theta: 0.7}" : "{}");
      Complex const expected = (1.0 + (1 - theta) * z) / (1.0 - theta * z);
      EXPECT_LT(std::abs(amplification(*method, implicit_test_equation(z)) - expected), 1e-14) << name << ' ' << z;
    }
    Complex const expected = (1.0 + (1 - 2 * gamma) * z) / ((1.0 - gamma * z) * (1.0 - gamma * z));
    EXPECT_LT(std::abs(amplification(*integrator("sdirk2"), implicit_test_equation(z)) - expected), 1e-14) << z;
  }
}

// With steps of lengths 1 and 2, and a first step by sdirk2.
TEST(ImplicitMethods, AreBdf2ByItsFormula) {
  double const gamma = 1 - 1 / std::numbers::sqrt2;
  for (Complex const z : some) {
    SmallSystem system = implicit_test_equation(z);
    NumbersState u({1, 0});
    auto const method = integrator("bdf2");
    static_cast<void>(method->advance(system, 0, 1, u));
    Complex const first = (1.0 + (1 - 2 * gamma) * z) / ((1.0 - gamma * z) * (1.0 - gamma * z));
    static_cast<void>(method->advance(system, 1, 1, u));
    Complex const second = (4.0 * first - 1.0) / 3.0 / (1.0 - 2.0 / 3.0 * z);
    EXPECT_LT(std::abs(Complex(u.values[0], u.values[1]) - second), 1e-14);
    static_cast<void>(method->advance(system, 2, 2, u));
    Complex const third = (9.0 * second - 4.0 * first) / 5.0 / (1.0 - 3.0 / 5.0 * 2.0 * z);
    EXPECT_LT(std::abs(Complex(u.values[0], u.values[1]) - third), 1e-14);
  }
}

// The deviation of a measured order is a few hundredths for steps of 1/40.
TEST(ImplicitMethods, HaveTheirOrder) {
  for (std::string const name : {"implicit_euler", "crank_nicolson", "theta", "sdirk2", "bdf2"}) {
    double const order = measured_order(
        1, 40, [&] { return integrator(name); }, linear_system(), known_solution);
    double const expected = integrators().find(name).order;
    EXPECT_NEAR(order, expected, name == "theta" ? 0.2 : 0.1) << name;
  }
}

/// The error at 1 with bdf2 for steps of alternating lengths, the second `ratio` times the first.
double error_of_alternating(double ratio, int pairs) {
  SmallSystem system = linear_system();
  NumbersState u(known_solution(0));
  auto const method = integrator("bdf2");
  for (int n = 0; n < pairs; ++n) {
    double const begin = static_cast<double>(n) / pairs;
    double const first = 1.0 / pairs / (1 + ratio);
    static_cast<void>(method->advance(system, begin, first, u));
    static_cast<void>(method->advance(system, begin + first, 1.0 / pairs - first, u));
  }
  return std::abs(u.values[0] - known_solution(1)[0]) + std::abs(u.values[1] - known_solution(1)[1]);
}

TEST(ImplicitMethods, KeepOrderTwoInBdf2WhereStepsVary) {
  // With 1.5 every other step is one of bdf2 after a longer one, with 3 it starts anew.
  for (double const ratio : {1.5, 2.0, 3.0}) {
    EXPECT_NEAR(std::log2(error_of_alternating(ratio, 20) / error_of_alternating(ratio, 40)), 2, 0.15) << ratio;
  }
}

TEST(ImplicitMethods, StartBdf2AnewWhereItIsTold) {
  SmallSystem system = linear_system();
  NumbersState u(known_solution(0));
  auto const method = integrator("bdf2");
  auto const solves_of = [&](double step) { return method->advance(system, 0, step, u).size(); };
  EXPECT_EQ(solves_of(0.1), 2u);
  EXPECT_EQ(solves_of(0.1), 1u);
  EXPECT_EQ(solves_of(0.24), 1u);
  EXPECT_EQ(solves_of(0.6), 2u);
  EXPECT_EQ(solves_of(0.01), 1u);
  method->restart();
  EXPECT_EQ(solves_of(0.01), 2u);
}

// One step from a distant state: the last solve is at the end of the step, and gives the solution there.
TEST(ImplicitMethods, AreStifflyAccurateAndDampWhatIsStiff) {
  for (std::string const name : {"implicit_euler", "sdirk2", "bdf2", "imex_ars222"}) {
    SmallSystem system = stiff_system();
    NumbersState u({5});
    static_cast<void>(integrator(name)->advance(system, 0, 0.5, u));
    EXPECT_NEAR(u.values[0], 1 + std::sin(0.5), 1e-6) << name;
  }
  SmallSystem system = stiff_system();
  NumbersState u({5});
  static_cast<void>(integrator("crank_nicolson")->advance(system, 0, 0.5, u));
  EXPECT_GT(std::abs(u.values[0] - 1 - std::sin(0.5)), 3);
}

TEST(ImplicitMethods, HoldWhatTheirEntriesSay) {
  for (std::string const& name : integrators().names()) {
    IntegratorEntry const& entry = integrators().find(name);
    if (entry.treatment == Treatment::explicit_) continue;
    SmallSystem system = linear_system();
    NumbersState u({1, 1});
    auto const method = integrator(name);
    for (int n = 0; n < 3; ++n) static_cast<void>(method->advance(system, n, 1, u));
    EXPECT_EQ(system.made, entry.states) << name;
    EXPECT_EQ(method->steps().taken, 3) << name;
    EXPECT_EQ(method->stable_factor(), entry.stable_factor) << name;
    EXPECT_EQ(system.rates == 0, entry.treatment == Treatment::implicit) << name;
  }
}

TEST(ThetaMethod, RefusesThetaThatIsNotStable) {
  EXPECT_THROW(ThetaMethod(0.49), InputError);
  EXPECT_THROW(ThetaMethod(1.01), InputError);
  EXPECT_THROW(ThetaMethod(std::nan("")), InputError);
}

}  // namespace
}  // namespace halocline
