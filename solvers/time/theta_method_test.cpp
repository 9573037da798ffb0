#include "solvers/time/theta_method.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/operator/array_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/solver.hpp"
#include "solvers/time/time_section.hpp"

namespace halocline {
namespace {

/// A space of three unknowns on this one rank.
ArrayVector<double> unknowns() {
  return ArrayVector<double>(std::make_shared<Communicator>(MPI_COMM_WORLD), static_cast<Index>(3));
}

/// Decay rates of the test's three uncoupled equations u' = -rate u + source + slope t.
constexpr std::array<double, 3> rates{0.5, 2, 40};

/// 1 + scale * rate on the diagonal.
class Diagonal final : public Operator {
 public:
  explicit Diagonal(ArrayVector<double> const& like) : values_(like.create()) {}
  void set(double scale) {
    auto const values = dynamic_cast<ArrayVector<double>&>(*values_).values();
    auto const on_host = Kokkos::create_mirror_view(values);
    for (std::size_t n = 0; n < rates.size(); ++n) on_host(n) = 1 + scale * rates[n];
    Kokkos::deep_copy(values, on_host);
  }
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return values_->create(); }
  void apply(Vector const& x, Vector& y) const override { y.multiply(*values_, x); }
  [[nodiscard]] Vector const& values() const { return *values_; }

 private:
  std::unique_ptr<Vector> values_;
};

class Decay final : public ImplicitSystem {
 public:
  explicit Decay(ArrayVector<double> const& like, double source = 0, double slope = 0)
      : operator_(like), source_(source), slope_(slope) {}
  Operator const& shifted(double scale) override {
    // Another operator at the same address, as a system may have it.
    operator_.set(scale);
    return operator_;
  }
  void right_hand_side(double time, double scale, Vector const& u, Vector& b) override {
    b.fill(source_ + slope_ * time);
    b.combine(1, u, scale);
  }

 private:
  Diagonal operator_;
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

/// The three unknowns after `steps` steps from 1.
std::vector<double> integrate(double theta, double step, int steps, double source = 0, double slope = 0) {
  ArrayVector<double> u = unknowns();
  u.fill(1);
  Decay system(u, source, slope);
  Direct solver;
  ThetaMethod method(theta);
  for (int n = 0; n < steps; ++n) {
    auto const reports = method.advance(system, solver, n * step, step, u);
    EXPECT_EQ(reports.size(), 1u);
  }
  EXPECT_EQ(solver.prepared, 1);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u.values());
  return {values(0), values(1), values(2)};
}

// (1 - (1 - theta) h r) / (1 + theta h r) a step, to the rounding of a few operations each.
TEST(ThetaMethod, HasTheAmplificationOfTheMethod) {
  double const step = 0.1;
  int const steps = 7;
  for (double const theta : {1.0, 0.5, 0.75}) {
    std::vector<double> const got = integrate(theta, step, steps);
    for (std::size_t n = 0; n < rates.size(); ++n) {
      double const factor = (1 - (1 - theta) * step * rates[n]) / (1 + theta * step * rates[n]);
      EXPECT_NEAR(got[n], std::pow(factor, steps), 1e-14) << theta << ' ' << rates[n];
    }
  }
}

// u = 1 + t solves u' = -r u + (1 + r) + r t; both methods are exact for it, and only if f is taken at t + theta h.
TEST(ThetaMethod, TakesSourcesAtItsOwnTime) {
  for (double const theta : {1.0, 0.5}) {
    EXPECT_NEAR(integrate(theta, 0.1, 5, 1.5, 0.5)[0], 1.5, 1e-14);
    EXPECT_NEAR(integrate(theta, 0.1, 5, 3, 2)[1], 1.5, 1e-14);
  }
}

TEST(ThetaMethod, PreparesTheSolverForEveryNewStepLength) {
  ArrayVector<double> u = unknowns();
  Decay system(u);
  Direct solver;
  ThetaMethod method(1);
  for (double const step : {0.1, 0.1, 0.05, 0.05}) static_cast<void>(method.advance(system, solver, 0, step, u));
  EXPECT_EQ(solver.prepared, 2);
}

TEST(ThetaMethod, StartsEverySolveFromTheState) {
  ArrayVector<double> u = unknowns();
  u.fill(1);
  Decay system(u);
  Direct solver;
  ThetaMethod method(0.5);
  for (int n = 0; n < 3; ++n) {
    double const largest = u.maximum();
    static_cast<void>(method.advance(system, solver, 0, 0.1, u));
    EXPECT_EQ(solver.guess, largest);
  }
}

TEST(TimeIntegrator, IsTheOneThatTheDeckNames) {
  for (auto const& [name, theta] : {std::pair{"implicit_euler", 1.0}, {"crank_nicolson", 0.5}}) {
    Section root("deck", "A deck of a time alone.");
    root.section(time_section());
    auto method =
        make_theta_method(Deck("test.yaml", std::string("time: {method: ") + name + "}").read(root).section("time"));
    ArrayVector<double> u = unknowns();
    u.fill(1);
    Decay system(u);
    Direct solver;
    static_cast<void>(method.advance(system, solver, 0, 0.1, u));
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u.values());
    EXPECT_NEAR(values(2), (1 - (1 - theta) * 0.1 * rates[2]) / (1 + theta * 0.1 * rates[2]), 1e-14) << name;
  }
}

TEST(ThetaMethod, RefusesThetaThatIsNotStable) {
  EXPECT_THROW(ThetaMethod(0.49), InputError);
  EXPECT_THROW(ThetaMethod(1.01), InputError);
  EXPECT_THROW(ThetaMethod(std::nan("")), InputError);
}

}  // namespace
}  // namespace halocline
