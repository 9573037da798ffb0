#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "framework/operator/array_vector.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/solve_report.hpp"
#include "solvers/linear/solver.hpp"
#include "tests/support/communicator.hpp"

// Operators with known spectra, for the tests of solvers.

namespace halocline::test_operators {

/// Entry of a vector by global row.
using Entry = std::function<double(Index row)>;

inline std::unique_ptr<ArrayVector<double>> make_array(Index rows_per_rank) {
  return std::make_unique<ArrayVector<double>>(test::communicator().split(0), rows_per_rank);
}

inline void set(ArrayVector<double>& vector, Entry const& entry) {
  auto const host = Kokkos::create_mirror_view(vector.values());
  for (std::size_t n = 0; n < host.extent(0); ++n) host(n) = entry(vector.first_row() + static_cast<Index>(n));
  Kokkos::deep_copy(vector.values(), host);
}

/// A diagonal matrix: its entries are its eigenvalues. Knows its diagonal if requested.
class DiagonalOperator final : public Operator {
 public:
  DiagonalOperator(Index rows_per_rank, Entry const& entry, bool knows_diagonal = true)
      : entries_(make_array(rows_per_rank)), knows_diagonal_(knows_diagonal) {
    set(*entries_, entry);
  }
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return entries_->create(); }
  void apply(Vector const& x, Vector& y) const override { y.multiply(*entries_, x); }
  [[nodiscard]] bool diagonal(Vector& d) const override {
    if (knows_diagonal_) d.copy(*entries_);
    return knows_diagonal_;
  }
  [[nodiscard]] double norm_bound() const override { return entries_->maximum(); }

 private:
  std::unique_ptr<ArrayVector<double>> entries_;
  bool knows_diagonal_;
};

/// D + u v^T: an unsymmetric matrix with known entries.
class RankOneOperator final : public Operator {
 public:
  RankOneOperator(Index rows, double strength)
      : diagonal_(make_array(rows)), u_(make_array(rows)), v_(make_array(rows)) {
    set(*diagonal_, [](Index row) { return 1.0 + static_cast<double>(row % 3); });
    u_->randomize(3);
    v_->randomize(4);
    u_->scale(strength / std::sqrt(u_->square() * v_->square()));
  }
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return u_->create(); }
  void apply(Vector const& x, Vector& y) const override {
    y.multiply(*diagonal_, x);
    y.add(v_->dot(x), *u_);
  }
  [[nodiscard]] bool diagonal(Vector& d) const override { return d.copy(*diagonal_), true; }
  [[nodiscard]] double norm_bound() const override { return 10; }

 private:
  std::unique_ptr<ArrayVector<double>> diagonal_, u_, v_;
};

/// Another operator with an error: y = A x, then `disturb(y)`. With `residuals_only`, conjugate gradients use the
/// undisturbed operator.
class DisturbedOperator final : public Operator {
 public:
  DisturbedOperator(Operator const& a, std::function<void(Vector&)> disturb, bool residuals_only = false)
      : a_(a), disturb_(std::move(disturb)), residuals_only_(residuals_only) {}
  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return a_.create_vector(); }
  void apply(Vector const& x, Vector& y) const override {
    a_.apply(x, y);
    if (!residuals_only_) disturb_(y);
  }
  double residual(Vector const& b, Vector const& x, Vector& r) const override {
    (void)Operator::residual(b, x, r);
    if (residuals_only_) disturb_(r);
    return r.square();
  }
  [[nodiscard]] bool diagonal(Vector& d) const override { return a_.diagonal(d); }
  [[nodiscard]] double norm_bound() const override { return a_.norm_bound(); }

 private:
  Operator const& a_;
  std::function<void(Vector&)> disturb_;
  bool residuals_only_;
};

/// For a DisturbedOperator: adds a vector with alternating sign.
inline std::function<void(Vector&)> alternating_error(Operator const& a, double size) {
  std::shared_ptr<Vector> const error = a.create_vector();
  error->randomize(3);
  error->scale(size);
  return [error, sign = 1.0](Vector& y) mutable {
    sign = -sign;
    y.add(sign, *error);
  };
}

/// A solve from zero.
struct Solved {
  SolveReport report;
  std::unique_ptr<Vector> x;
};
inline Solved solve(LinearSolver& solver, Operator const& a, Vector const& b) {
  auto x = a.create_vector();
  solver.prepare(a);
  SolveReport report = solver.solve(a, b, *x);
  return {std::move(report), std::move(x)};
}

/// ||x - y|| / ||y||
inline double distance(Vector const& x, Vector const& y) {
  auto const e = x.create();
  e->copy(x);
  e->add(-1, y);
  return std::sqrt(e->square() / y.square());
}

}  // namespace halocline::test_operators
