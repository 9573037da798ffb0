#include "solvers/time/linear_evolving_system.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/operator/array_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "solvers/linear/solver.hpp"
#include "solvers/time/implicit_methods.hpp"
#include "solvers/time/test_steps.hpp"

namespace halocline {
namespace {

/// A space of three unknowns on this rank only.
ArrayVector<double> unknowns() {
  return ArrayVector<double>(std::make_shared<Communicator>(MPI_COMM_WORLD), static_cast<Index>(3));
}

/// Decay rates of the test's three uncoupled equations m u' = -rate u + source + slope t.
constexpr std::array<double, 3> rates{0.5, 2, 40};
constexpr std::array<double, 3> masses{1, 0.5, 2};

void set(Vector& vector, std::array<double, 3> const& numbers) {
  auto const values = dynamic_cast<ArrayVector<double>&>(vector).values();
  auto const on_host = Kokkos::create_mirror_view(values);
  for (std::size_t n = 0; n < numbers.size(); ++n) on_host(n) = numbers[n];
  Kokkos::deep_copy(values, on_host);
}

std::vector<double> numbers_of(ArrayVector<double> const& u) {
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u.values());
  return {values(0), values(1), values(2)};
}

/// The diagonal operator mass + scale rate.
class Diagonal final : public Operator {
 public:
  explicit Diagonal(ArrayVector<double> const& like) : values_(like.create()) {}
  void set_values(double mass, double scale) {
    std::array<double, 3> all{};
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = mass * masses[n] + scale * rates[n];
    set(*values_, all);
  }
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return values_->create(); }
  void apply(Vector const& x, Vector& y) const override { y.multiply(*values_, x); }
  [[nodiscard]] double norm_bound() const override { return values_->maximum(); }
  [[nodiscard]] Vector const& values() const { return *values_; }

 private:
  std::unique_ptr<Vector> values_;
};

class Decay final : public LinearSystem {
 public:
  explicit Decay(ArrayVector<double> const& like, double source = 0, double slope = 0)
      : operator_(like), stiffness_(like), mass_(like.create()), source_(source), slope_(slope) {
    stiffness_.set_values(0, 1);
    set(*mass_, masses);
  }
  Operator const& shifted(double scale) override {
    // Another operator at the same address, which a system may do.
    operator_.set_values(1, scale);
    return operator_;
  }
  Operator const& stiffness() override { return stiffness_; }
  [[nodiscard]] Vector const& mass() const override { return *mass_; }
  [[nodiscard]] bool has_explicit_source() const override { return true; }
  void add_source(SourcePart part, double time, double scale, Vector& b) override {
    if (part == SourcePart::implicit) return;
    auto const one = b.create();
    one->fill(1);
    b.add(scale * (source_ + slope_ * time), *one);
  }

 private:
  Diagonal operator_;
  Diagonal stiffness_;
  std::unique_ptr<Vector> mass_;
  double source_;
  double slope_;
};

/// Divides by the diagonal.
class Direct final : public LinearSolver {
 public:
  void prepare(Operator const& a) override {
    ++prepared;
    inverse_ = a.create_vector();
    inverse_->copy(dynamic_cast<Diagonal const&>(a).values());
    inverse_->invert();
  }
  SolveReport solve(Operator const&, Vector const& b, Vector& x) override {
    guess = x.maximum();
    x.multiply(*inverse_, b);
    SolveReport report;
    report.outcome = Outcome::converged;
    return report;
  }
  int prepared = 0;
  double guess = 0;  ///< largest entry of the last initial guess

 private:
  std::unique_ptr<Vector> inverse_;
};

struct Case {
  explicit Case(double source = 0, double slope = 0) : u(unknowns()), system(u, source, slope) {
    u.fill(1);
    evolving = std::make_unique<LinearEvolvingSystem>(system, solver, u);
  }
  ArrayVector<double> u;
  Decay system;
  Direct solver;
  std::unique_ptr<LinearEvolvingSystem> evolving;
};

/// The three unknowns after `steps` steps from 1.
std::vector<double> integrate(double theta, double step, int steps, double source = 0, double slope = 0) {
  Case all(source, slope);
  ThetaMethod method(theta);
  for (int n = 0; n < steps; ++n) EXPECT_EQ(all.evolving->advance(method, n * step, step).size(), 1u);
  EXPECT_EQ(all.solver.prepared, 1);
  return numbers_of(all.u);
}

// Each step multiplies by (1 - (1 - theta) h r) / (1 + theta h r), r the rate over the mass, up to a few roundings.
TEST(ThetaMethod, HasTheAmplificationOfTheMethod) {
  double const step = 0.1;
  int const steps = 7;
  for (double const theta : {1.0, 0.5, 0.75}) {
    std::vector<double> const got = integrate(theta, step, steps);
    for (std::size_t n = 0; n < rates.size(); ++n) {
      double const rate = rates[n] / masses[n];
      double const factor = (1 - (1 - theta) * step * rate) / (1 + theta * step * rate);
      EXPECT_NEAR(got[n], std::pow(factor, steps), 1e-14) << theta << ' ' << rates[n];
    }
  }
}

// u = 1 + t solves m u' = -r u + (m + r) + r t; both methods are exact for it, but only if f is taken at t + theta h.
TEST(ThetaMethod, TakesSourcesAtItsOwnTime) {
  for (double const theta : {1.0, 0.5}) {
    EXPECT_NEAR(integrate(theta, 0.1, 5, 1.5, 0.5)[0], 1.5, 1e-14);
    EXPECT_NEAR(integrate(theta, 0.1, 5, 2.5, 2)[1], 1.5, 1e-14);
  }
}

TEST(LinearEvolvingSystem, PreparesTheSolverForEveryNewStepLength) {
  Case all;
  ThetaMethod method(1);
  for (double const step : {0.1, 0.1, 0.05, 0.05}) static_cast<void>(all.evolving->advance(method, 0, step));
  EXPECT_EQ(all.solver.prepared, 2);
}

TEST(LinearEvolvingSystem, StartsEverySolveFromTheState) {
  Case all;
  ThetaMethod method(0.5);
  for (int n = 0; n < 3; ++n) {
    double const largest = all.u.maximum();
    static_cast<void>(all.evolving->advance(method, 0, 0.1));
    EXPECT_EQ(all.solver.guess, largest);
  }
}

// Every method gives the same results for vectors as for plain numbers, and leaves them in the vector u itself.
TEST(LinearEvolvingSystem, IsTheSystemForEveryIntegrator) {
  SmallSystem::Numbers matrix(9, 0.0);
  for (std::size_t n = 0; n < 3; ++n) matrix[4 * n] = -rates[n] / masses[n];
  for (std::string const& name : integrators().names()) {
    if (integrators().find(name).controls_error) continue;  // error norms are those of fields
    Case all(1.5, 0.25);
    SmallSystem plain(3, nullptr, matrix, [](double time) {
      SmallSystem::Numbers source(3);
      for (std::size_t n = 0; n < 3; ++n) source[n] = (1.5 + 0.25 * time) / masses[n];
      return source;
    });
    NumbersState numbers({1, 1, 1});
    auto const method = integrator(name);
    auto const same = integrator(name);
    double time = 0;
    for (double const step : {0.02, 0.02, 0.03}) {
      static_cast<void>(all.evolving->advance(*method, time, step));
      static_cast<void>(same->advance(plain, time, step, numbers));
      time += step;
      std::vector<double> const got = numbers_of(all.u);
      for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(got[n], numbers.values[n], 1e-14) << name << ' ' << n;
    }
  }
}

TEST(LinearEvolvingSystem, KnowsTheLongestStepOfExplicitEuler) {
  Case all;
  // The largest stiffness over the least mass, which need not belong to the same row.
  EXPECT_DOUBLE_EQ(all.evolving->euler_step(), 2 / (40 / 0.5));
}

}  // namespace
}  // namespace halocline
