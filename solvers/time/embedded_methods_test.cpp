#include <gtest/gtest.h>

#include <array>
#include <complex>

#include "framework/runtime/error.hpp"
#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

using Complex = std::complex<double>;

std::vector<std::string> const pairs{"bogacki_shampine", "dormand_prince"};

/// The method with tolerances so loose that it accepts each step.
std::string const loose = "{tolerance: {absolute: 1e9}}";
std::unique_ptr<TimeIntegrator> uncontrolled(std::string const& name) { return integrator(name, loose); }

/// u = a + atan((t - 1) / width): nearly constant, except for a transient at 1.
constexpr double width = 1e-3;
SmallSystem::Numbers transient(double time) { return {3 + std::atan((time - 1) / width), std::sin(time)}; }
SmallSystem transient_system() {
  return {2, [](double time, SmallSystem::Numbers const& u) {
            double const x = (time - 1) / width;
            SmallSystem::Numbers const exact = transient(time);
            return SmallSystem::Numbers{1 / width / (1 + x * x) - (u[0] - exact[0]), std::cos(time)};
          }};
}

TEST(EmbeddedMethods, HaveTheirAmplificationToRounding) {
  for (Complex const z : {Complex(-0.5, 0), Complex(-1, 1.5), Complex(0, 2)}) {
    Complex const third = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0));
    Complex const fifth = third + std::pow(z, 4) / 24.0 * (1.0 + z / 5.0) + std::pow(z, 6) / 600.0;
    EXPECT_LT(std::abs(amplification(*uncontrolled("bogacki_shampine"), explicit_test_equation(z)) - third), 1e-14);
    EXPECT_LT(std::abs(amplification(*uncontrolled("dormand_prince"), explicit_test_equation(z)) - fifth), 2e-14);
  }
}

TEST(EmbeddedMethods, AreStableForWhatTheyPromise) {
  for (std::string const& name : pairs) {
    EXPECT_NEAR(integrators().find(name).stable_factor, disc(name, explicit_test_equation, loose), 1e-2) << name;
    EXPECT_EQ(integrator(name)->stable_factor(), integrators().find(name).stable_factor) << name;
  }
}

// The deviation of the measured order halves with the step; it is 0.22 here.
TEST(EmbeddedMethods, HaveTheirOrder) {
  for (std::string const& name : pairs) {
    double const order = measured_order(
        1, 80, [&] { return uncontrolled(name); }, nonlinear_system(), known_solution);
    EXPECT_NEAR(order, integrators().find(name).order, 0.3) << name;
  }
}

/// The tolerance that one step of u' = lambda u from 1 barely meets: the error that the method estimates.
double estimated_error(std::string const& name, double lambda) {
  double low = 1e-15;
  double high = 1;
  while (high / low > 1.001) {
    double const tolerance = std::sqrt(low * high);
    char text[80];
    std::snprintf(text, sizeof text, "{tolerance: {absolute: %.17g, relative: 0}}", tolerance);
    auto const method = integrator(name, text);
    static_cast<void>(amplification(*method, explicit_test_equation(lambda)));
    (method->steps().rejected == 0 ? high : low) = tolerance;
  }
  return high;
}

// The difference of both orders for u' = lambda u, with coefficients of the literature: sums of b - b^ times powers.
TEST(EmbeddedMethods, EstimateTheDifferenceOfBothOrders) {
  double const z = -0.5;
  // Slopes of Bogacki and Shampine.
  double const k1 = z;
  double const k2 = z * (1 + k1 / 2);
  double const k3 = z * (1 + 3 * k2 / 4);
  double const k4 = z * (1 + 2 * k1 / 9 + k2 / 3 + 4 * k3 / 9);
  double const third = std::abs(-5 * k1 / 72 + k2 / 12 + k3 / 9 - k4 / 8);
  EXPECT_NEAR(estimated_error("bogacki_shampine", z) / third, 1, 2e-3);

  std::array<std::array<double, 6>, 6> const a{
      {{1.0 / 5},
       {3.0 / 40, 9.0 / 40},
       {44.0 / 45, -56.0 / 15, 32.0 / 9},
       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
       {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
  std::array<double, 7> const lower{5179.0 / 57600, 0,       7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
                                    187.0 / 2100,   1.0 / 40};
  std::array<double, 7> k{z};
  for (std::size_t stage = 0; stage < 6; ++stage) {
    double y = 1;
    for (std::size_t n = 0; n <= stage; ++n) y += a[stage][n] * k[n];
    k[stage + 1] = z * y;
  }
  double difference = 0;
  for (std::size_t n = 0; n < 7; ++n) difference += ((n < 6 ? a[5][n] : 0) - lower[n]) * k[n];
  EXPECT_NEAR(estimated_error("dormand_prince", z) / std::abs(difference), 1, 2e-3);
}

// The errors of single steps meet the tolerance; the equation damps them, so their sum is a few times the tolerance.
TEST(EmbeddedMethods, MeetTheToleranceAcrossATransient) {
  for (std::string const& name : pairs) {
    for (auto const& [text, tolerance] : {std::pair{"1e-4", 1e-4}, {"1e-7", 1e-7}}) {
      std::string const options = std::string("{tolerance: {absolute: ") + text + ", relative: 0}}";
      SmallSystem system = transient_system();
      auto const method = integrator(name, options);
      double const error = error_at(2, 4, *method, system, transient);
      EXPECT_LT(error, 10 * tolerance) << name;
      EXPECT_GT(method->steps().rejected, 0) << name;
      EXPECT_GT(method->steps().taken, 10) << name;
      // The number of equal steps with the shortest length that the transient needs.
      EXPECT_LT(method->steps().taken, 3000) << name;

      auto const again = integrator(name, options);
      EXPECT_EQ(error_at(2, 4, *again, system, transient), error);
      EXPECT_EQ(again->steps().taken, method->steps().taken);
      EXPECT_EQ(again->steps().rejected, method->steps().rejected);
    }
  }
}

TEST(EmbeddedMethods, AskForOneRateLessWhereTheLastIsStillGood) {
  std::array<int, 2> const stages{3, 6};
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    SmallSystem system = explicit_test_equation(-1);
    NumbersState u({1, 0});
    auto const method = uncontrolled(pairs[n]);
    for (int step = 0; step < 5; ++step) static_cast<void>(method->advance(system, step, 1, u));
    EXPECT_EQ(system.rates, 5 * stages[n] + 1);
    EXPECT_EQ(system.made, integrators().find(pairs[n]).states);
    // Another state or another time, for which the stored slope is wrong.
    method->restart();
    static_cast<void>(method->advance(system, 5, 1, u));
    EXPECT_EQ(system.rates, 6 * stages[n] + 2);
    static_cast<void>(method->advance(system, 7, 1, u));
    EXPECT_EQ(system.rates, 7 * stages[n] + 3);
  }
}

TEST(EmbeddedMethods, SuggestTheStepThatMeetsTheTolerance) {
  for (std::string const& name : pairs) {
    // Its relative error is the same in all steps of one length.
    SmallSystem system(1, [](double, SmallSystem::Numbers const& v) { return SmallSystem::Numbers{-v[0]}; });
    NumbersState u({1});
    auto const method = integrator(name, "{tolerance: {absolute: 0}}");
    EXPECT_EQ(method->suggested_step(), std::numeric_limits<double>::infinity());
    double time = 0;
    auto const follow = [&](int steps) {
      for (int n = 0; n < steps; ++n) {
        double const step = time > 0 ? method->suggested_step() : 0.01;
        static_cast<void>(method->advance(system, time, step, u));
        time += step;
      }
    };
    follow(20);  // finds the step length
    auto const found = method->steps();
    follow(20);
    EXPECT_EQ(method->steps().taken, found.taken + 20) << name;
    EXPECT_EQ(method->steps().rejected, found.rejected) << name;
    double const longest = method->suggested_step();
    // A step shortened to reach an output time does not reduce the suggested step.
    static_cast<void>(method->advance(system, time, longest / 1000, u));
    EXPECT_GE(method->suggested_step(), longest) << name;
    // An interval is divided into equal steps, none of which is rejected.
    auto const before = method->steps();
    static_cast<void>(method->advance(system, time, 2.5 * longest, u));
    EXPECT_EQ(method->steps().taken, before.taken + 3) << name;
    EXPECT_EQ(method->steps().rejected, before.rejected) << name;
  }
}

// Adding a step to the time rounds it: one that is shorter by less was not shortened.
TEST(EmbeddedMethods, ASuggestedStepMayBeRounded) {
  for (std::string const& name : pairs) {
    // A step of 0.01, then eight suggested ones, each longer or shorter by some units in the last place.
    auto const suggested_after = [&](double rounding) {
      SmallSystem system(
          1, [](double t, SmallSystem::Numbers const& v) { return SmallSystem::Numbers{std::cos(9 * t) - v[0]}; });
      NumbersState u({1});
      auto const method = integrator(name);
      double time = 0;
      for (int n = 0; n < 9; ++n) {
        double const step = n > 0 ? method->suggested_step() * (1 + rounding) : 0.01;
        static_cast<void>(method->advance(system, time, step, u));
        time += step;
      }
      return method->suggested_step();
    };
    double const exactly = suggested_after(0);
    EXPECT_NEAR(suggested_after(-4e-16), exactly, 1e-9 * exactly) << name;
    EXPECT_NEAR(suggested_after(-4e-14), exactly, 1e-9 * exactly) << name;
  }
}

TEST(EmbeddedMethods, SayWhereNoStepMeetsTheTolerance) {
  for (std::string const& name : pairs) {
    // Jumps at every evaluation.
    int calls = 0;
    SmallSystem jumping(1, [&calls](double, SmallSystem::Numbers const&) {
      ++calls;
      return SmallSystem::Numbers{1e30 * std::sin(calls * calls)};
    });
    NumbersState u({1});
    EXPECT_THROW(static_cast<void>(integrator(name, "{tolerance: {relative: 0}}")->advance(jumping, 1, 1, u)),
                 SolveError)
        << name;
    // A state of NaN is left for others to report.
    NumbersState nothing({std::nan("")});
    SmallSystem decay(1, [](double, SmallSystem::Numbers const& v) { return SmallSystem::Numbers{-v[0]}; });
    EXPECT_NO_THROW(static_cast<void>(integrator(name)->advance(decay, 1, 1, nothing)));
    EXPECT_TRUE(std::isnan(nothing.values[0]));
  }
}

}  // namespace
}  // namespace halocline
