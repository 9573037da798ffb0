#include <gtest/gtest.h>

#include <complex>
#include <map>

#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

using Complex = std::complex<double>;

std::vector<std::string> const fixed_methods{"explicit_euler", "rk4", "ssp_rk2", "ssp_rk3"};

/// 1 + z + … + z^n / n!, which is R(z) of every explicit method of order n with n stages.
Complex taylor(int order, Complex z) {
  Complex sum = 1;
  for (int n = order; n > 0; --n) sum = 1.0 + sum * z / static_cast<double>(n);
  return sum;
}

TEST(ExplicitMethods, HaveTheirAmplificationToRounding) {
  for (std::string const& name : fixed_methods) {
    for (Complex const z : {Complex(-0.5, 0), Complex(-1, 1.5), Complex(0, 2), Complex(-2.5, 0.1)}) {
      auto const method = integrator(name);
      Complex const got = amplification(*method, explicit_test_equation(z));
      EXPECT_LT(std::abs(got - taylor(integrators().find(name).order, z)), 1e-14) << name << ' ' << z;
    }
  }
}

// With steps of 0.01 the next term of the error is a few hundredths of the first, and so is the deviation of the
// measured order.
TEST(ExplicitMethods, HaveTheirOrder) {
  for (std::string const& name : fixed_methods) {
    double const order = measured_order(
        1, 40, [&] { return integrator(name); }, nonlinear_system(), known_solution);
    EXPECT_NEAR(order, integrators().find(name).order, 0.1) << name;
  }
}

// Spectra of upwind differences and of diffusion lie in such discs. Strong-stability-preserving methods must also keep
// their promise beyond linear stability: a step as long as that of explicit Euler.
TEST(ExplicitMethods, AreStableForWhatTheyPromise) {
  for (std::string const& name : fixed_methods) {
    double const promised = integrators().find(name).stable_factor;
    double const found = disc(name, explicit_test_equation);
    EXPECT_LE(promised, found + 1e-3) << name;
    if (name.starts_with("ssp")) continue;
    EXPECT_GE(promised, found - 1e-2) << name;
  }
}

TEST(ExplicitMethods, HoldWhatTheirEntriesSay) {
  for (std::string const& name : fixed_methods) {
    SmallSystem system = explicit_test_equation(-1);
    NumbersState u({1, 0});
    auto const method = integrator(name);
    for (int n = 0; n < 3; ++n) static_cast<void>(method->advance(system, n, 1, u));
    EXPECT_EQ(system.made, integrators().find(name).states) << name;
    EXPECT_LE(system.most_terms, 3) << name;
    EXPECT_EQ(method->steps().taken, 3) << name;
    EXPECT_EQ(method->stable_factor(), integrators().find(name).stable_factor) << name;
  }
  // A read and a write; the same and another term; …
  EXPECT_EQ(integrators().find("explicit_euler").numbers_moved, 2);
  EXPECT_EQ(integrators().find("ssp_rk3").numbers_moved, 8);
  EXPECT_EQ(integrators().find("rk4").numbers_moved, 13);
}

// A step that is taken back and repeated has the bits of the first, which are those of a method that keeps nothing.
TEST(ExplicitMethods, StepsCanBeTakenBack) {
  for (std::string const& name : fixed_methods) {
    SmallSystem system = explicit_test_equation(Complex(-0.5, 0.3));
    NumbersState u({1, 0.5});
    NumbersState plain({1, 0.5});
    auto const method = integrator(name);
    ASSERT_TRUE(method->keep_previous()) << name;
    auto const other = integrator(name);
    for (int n = 0; n < 3; ++n) {
      auto const before = u.values;
      static_cast<void>(method->advance(system, n, 1, u));
      method->undo(u);
      EXPECT_EQ(u.values, before) << name;
      EXPECT_EQ(method->steps().taken, n) << name;
      static_cast<void>(method->advance(system, n, 1, u));
      static_cast<void>(other->advance(system, n, 1, plain));
      EXPECT_EQ(u.values, plain.values) << name;
    }
  }
}

}  // namespace
}  // namespace halocline
