#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "solvers/time/test_evolving_system.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

/// The integrator of this name, with its options as in a deck: "{stages: 5}".
inline std::unique_ptr<TimeIntegrator> integrator(std::string const& name, std::string const& options = "{}") {
  Section root("deck", "A deck of one method.");
  IntegratorEntry const& entry = integrators().find(name);
  root.section(entry.declare());
  return entry.create(Deck("test.yaml", name + ": " + options).read(root).section(name));
}

/// u' = lambda u for a complex u, all of it in f.
inline SmallSystem explicit_test_equation(std::complex<double> lambda) {
  return {2, [lambda](double, SmallSystem::Numbers const& u) {
            std::complex<double> const rate = lambda * std::complex<double>(u[0], u[1]);
            return SmallSystem::Numbers{rate.real(), rate.imag()};
          }};
}

/// u' = lambda u for a complex u, all of it in g.
inline SmallSystem implicit_test_equation(std::complex<double> lambda) {
  return {2, nullptr, {lambda.real(), -lambda.imag(), lambda.imag(), lambda.real()}, [](double) {
            return SmallSystem::Numbers{0, 0};
          }};
}

/// The test equation in f, with a zero g.
inline SmallSystem explicit_and_idle(std::complex<double> lambda) {
  return {2,
          [lambda](double, SmallSystem::Numbers const& u) {
            std::complex<double> const rate = lambda * std::complex<double>(u[0], u[1]);
            return SmallSystem::Numbers{rate.real(), rate.imag()};
          },
          {0, 0, 0, 0},
          [](double) {
            return SmallSystem::Numbers{0, 0};
          }};
}

/// The result of one step of length 1 from 1: R(lambda).
inline std::complex<double> amplification(TimeIntegrator& method, SmallSystem system) {
  NumbersState u({1, 0});
  static_cast<void>(method.advance(system, 0, 1, u));
  return {u.values[0], u.values[1]};
}

/// Radius r of the largest disc |z + r| <= r in which |R(z)| <= 1, in units of explicit Euler's disc.
inline double disc(std::string const& name, SmallSystem (*test_equation)(std::complex<double>),
                   std::string const& options = "{}") {
  auto const method = integrator(name, options);
  auto const is_stable = [&](double r) {
    for (int n = 0; n <= 2000; ++n) {
      std::complex<double> const z = r * (std::polar(1.0, std::numbers::pi * n / 2000) - 1.0);
      if (std::abs(amplification(*method, test_equation(z))) > 1 + 1e-12) return false;
    }
    return true;
  };
  double low = 0.5;
  double high = 5;
  while (high - low > 1e-4) (is_stable((low + high) / 2) ? low : high) = (low + high) / 2;
  return low;
}

/// Largest error of the numbers at `end` after `steps` equal steps from 0.
inline double error_at(double end, int steps, TimeIntegrator& method, SmallSystem& system,
                       std::function<SmallSystem::Numbers(double)> const& exact) {
  NumbersState u(exact(0));
  for (int n = 0; n < steps; ++n) static_cast<void>(method.advance(system, n * end / steps, end / steps, u));
  double largest = 0;
  for (std::size_t n = 0; n < u.values.size(); ++n) largest = std::max(largest, std::abs(u.values[n] - exact(end)[n]));
  return largest;
}

/// The order according to the errors of `steps` and twice as many steps.
inline double measured_order(double end, int steps, std::function<std::unique_ptr<TimeIntegrator>()> const& make,
                             SmallSystem system, std::function<SmallSystem::Numbers(double)> const& exact) {
  double const coarse = error_at(end, steps, *make(), system, exact);
  return std::log2(coarse / error_at(end, 2 * steps, *make(), system, exact));
}

/// The solution of nonlinear_system().
inline SmallSystem::Numbers known_solution(double time) { return {1 / (1 + time), 2 + std::sin(time)}; }
/// Two coupled nonlinear equations that depend on time.
inline SmallSystem::Numbers nonlinear_rate(double time, SmallSystem::Numbers const& u) {
  SmallSystem::Numbers const exact = known_solution(time);
  // The second terms vanish for the solution, and couple the errors.
  return {-u[0] * u[0] + u[0] * (exact[1] - u[1]), std::cos(time) + (exact[0] - u[0]) * u[1] * u[1]};
}
inline SmallSystem nonlinear_system() { return {2, nonlinear_rate}; }

}  // namespace halocline
