#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "solvers/time/imex_runge_kutta.hpp"
#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

using Complex = std::complex<double>;

std::vector<std::string> const methods{"imex_ars222", "imex_ark3"};

/// nonlinear_system with a time-dependent linear part of its rate moved to g, which is solved for.
SmallSystem split_system() {
  SmallSystem::Numbers const a{-2, 1, 0.5, -3};
  auto const source = [](double time) { return SmallSystem::Numbers{std::sin(3 * time), time * time}; };
  auto const f = [a, source](double time, SmallSystem::Numbers const& u) {
    SmallSystem::Numbers rate = nonlinear_rate(time, u);
    rate[0] -= a[0] * u[0] + a[1] * u[1] + source(time)[0];
    rate[1] -= a[2] * u[0] + a[3] * u[1] + source(time)[1];
    return rate;
  };
  return {2, f, a, source};
}

// The deviation of the measured order halves with the step.
TEST(ImexMethods, HaveTheirOrderWhereBothPartsCount) {
  for (std::string const& name : methods) {
    double const order = measured_order(
        1, 80, [&] { return integrator(name); }, split_system(), known_solution);
    EXPECT_NEAR(order, integrators().find(name).order, 0.1) << name;
  }
}

TEST(ImexMethods, HaveTheirAmplificationByEitherPartToRounding) {
  for (Complex const z : {Complex(-0.5, 0), Complex(-3, 2), Complex(0, 1.5), Complex(-1e3, 0)}) {
    double const two = 1 - 1 / std::numbers::sqrt2;
    Complex const second = (1.0 + (1 - 2 * two) * z) / ((1.0 - two * z) * (1.0 - two * z));
    EXPECT_LT(std::abs(amplification(*integrator("imex_ars222"), implicit_test_equation(z)) - second), 1e-14) << z;
    // Order 3 and R(infinity) = 0 with a triple pole determine it. Coefficients are ratios of 13 digits, and cancel for
    // large z.
    double const g = 0.43586652150845906;
    Complex const third = (1.0 + (1 - 3 * g) * z + (0.5 - 3 * g + 3 * g * g) * z * z) / std::pow(1.0 - g * z, 3);
    EXPECT_LT(std::abs(amplification(*integrator("imex_ark3"), implicit_test_equation(z)) - third), 1e-12) << z;
  }
  for (Complex const z : {Complex(-0.5, 0), Complex(-1, 1.5)}) {
    Complex const second = 1.0 + z + z * z / 2.0;
    EXPECT_LT(std::abs(amplification(*integrator("imex_ars222"), explicit_and_idle(z)) - second), 1e-14) << z;
  }
  // The fourth coefficient, which no order condition determines, from the polynomial at two points.
  auto const rest = [](double z) {
    double const got = amplification(*integrator("imex_ark3"), explicit_and_idle(z)).real();
    return (got - (1 + z + z * z / 2 + z * z * z / 6)) / (z * z * z * z);
  };
  EXPECT_NEAR(rest(-1), rest(-2), 1e-12);
}

TEST(ImexMethods, AreStableForWhatTheyPromise) {
  for (std::string const& name : methods) {
    double const found = disc(name, explicit_and_idle);
    EXPECT_NEAR(integrators().find(name).stable_factor, found, 1e-2) << name;
  }
}

// u' = f + g with f = phi'(t) and g = -1e8 (u - phi(t)): the solution follows phi.
TEST(ImexMethods, FollowWhatIsStiff) {
  for (std::string const& name : methods) {
    SmallSystem system(
        1, [](double time, SmallSystem::Numbers const&) { return SmallSystem::Numbers{std::cos(time)}; }, {-1e8},
        [](double time) { return SmallSystem::Numbers{1e8 * (1 + std::sin(time))}; });
    NumbersState u({1});
    for (int n = 0; n < 5; ++n) static_cast<void>(integrator(name)->advance(system, 0.1 * n, 0.1, u));
    EXPECT_NEAR(u.values[0], 1 + std::sin(0.5), name == "imex_ark3" ? 2e-3 : 1e-6) << name;
  }
}

}  // namespace
}  // namespace halocline
