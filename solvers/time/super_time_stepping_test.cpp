#include "solvers/time/super_time_stepping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

/// a_s + b_s P_s(1 + w1 z)
double polynomial(unsigned stages, double z) {
  double const s = stages;
  double const b = (s * s + s - 2) / (2 * s * (s + 1));
  return 1 - b + b * std::legendre(stages, 1 + 4 / (s * s + s - 2) * z);
}

std::string with_stages(int stages) { return "{stages: " + std::to_string(stages) + "}"; }

// The recurrence of Legendre polynomials amplifies rounding by about the square of the number of stages.
TEST(RungeKuttaLegendre, HasItsPolynomialWhichIsStableUpToItsBound) {
  for (int const stages : {3, 5, 9, 15, 31}) {
    double const bound = 2 * RungeKuttaLegendre::factor_of(stages);
    auto const method = integrator("rkl2", with_stages(stages));
    for (int n = 0; n <= 200; ++n) {
      double const z = -bound * n / 200;
      double const got = amplification(*method, explicit_test_equation(z)).real();
      EXPECT_NEAR(got, polynomial(static_cast<unsigned>(stages), z), 1e-15 * stages * stages);
      EXPECT_LE(std::abs(got), 1 + 1e-15 * stages * stages) << stages << ' ' << z;
    }
    // Odd polynomials leave the stable range some distance beyond the bound.
    EXPECT_GT(std::abs(amplification(*method, explicit_test_equation(-1.5 * bound)).real()), 1);
  }
}

TEST(RungeKuttaLegendre, HasOrderTwo) {
  for (int const stages : {3, 7, 15}) {
    auto const make = [&] { return integrator("rkl2", with_stages(stages)); };
    EXPECT_NEAR(measured_order(1, 80, make, nonlinear_system(), known_solution), 2, 0.1) << stages;
  }
}

TEST(RungeKuttaLegendre, TakesTheFewestOddStagesThatAreStable) {
  RungeKuttaLegendre method(15);
  EXPECT_EQ(method.stages_for(1e-9), 15);  // no stable step is known yet
  method.set_euler_step(2);
  EXPECT_EQ(method.stages_for(1), 3);
  EXPECT_EQ(method.stages_for(2 * 2.5), 3);
  EXPECT_EQ(method.stages_for(2 * 2.51), 5);
  EXPECT_EQ(method.stages_for(2 * 7.0), 5);
  EXPECT_EQ(method.stages_for(2 * 59.5), 15);
  EXPECT_EQ(method.stages_for(1000), 15);
  EXPECT_EQ(method.stable_factor(), 59.5);

  SmallSystem system = explicit_test_equation(-1);
  NumbersState u({1, 0});
  static_cast<void>(method.advance(system, 0, 10, u));
  EXPECT_EQ(system.rates, 5);
  EXPECT_EQ(system.made, 3);
  EXPECT_EQ(system.most_terms, 3);
}

TEST(RungeKuttaLegendre, RefusesAnEvenNumberOfStages) {
  EXPECT_THROW(static_cast<void>(integrator("rkl2", "{stages: 4}")), InputError);
}

}  // namespace
}  // namespace halocline
