#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "framework/operator/evolving_system.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// A state of a few numbers: a vector with the operations that integrators use.
class NumbersState final : public Vector {
 public:
  explicit NumbersState(std::vector<double> numbers) : values(std::move(numbers)) {}
  std::vector<double> values;

  [[nodiscard]] std::unique_ptr<Vector> create() const override {
    return std::make_unique<NumbersState>(std::vector<double>(values.size()));
  }
  [[nodiscard]] Index size() const override { return static_cast<Index>(values.size()); }
  [[nodiscard]] Precision precision() const override { return Precision::double_; }
  [[nodiscard]] void const* memory() const override { return values.data(); }
  void fill(double value) override { std::fill(values.begin(), values.end(), value); }
  void copy(Vector const& x) override { values = of(x); }
  void swap(Vector& x) override { std::swap(values, dynamic_cast<NumbersState&>(x).values); }
  using Vector::assign;
  void assign(std::span<WeightedVector const> terms) override { values = sum(terms, values.size()); }
  [[nodiscard]] double scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                      double relative) const override {
    double largest = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
      double const size = std::max(std::abs(of(before)[n]), std::abs(of(after)[n]));
      double const ratio = std::abs(values[n]) / (absolute + relative * size);
      if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
  }

  [[nodiscard]] static std::vector<double> const& of(Vector const& x) {
    return dynamic_cast<NumbersState const&>(x).values;
  }
  [[nodiscard]] static std::vector<double> sum(std::span<WeightedVector const> terms, std::size_t size) {
    std::vector<double> sum(size, 0.0);
    for (auto const& [weight, x] : terms) {
      for (std::size_t n = 0; n < size; ++n) sum[n] += weight * of(*x)[n];
    }
    return sum;
  }

  void randomize(std::uint64_t) override { throw unused(); }
  void scale(double) override { throw unused(); }
  void add(double, Vector const&) override { throw unused(); }
  void combine(double, Vector const&, double) override { throw unused(); }
  void multiply(Vector const&, Vector const&) override { throw unused(); }
  void convert(Vector const&, double) override { throw unused(); }
  void add_converted(double, Vector const&) override { throw unused(); }
  void invert() override { throw unused(); }
  [[nodiscard]] double dot(Vector const&) const override { throw unused(); }
  [[nodiscard]] PendingSum start_products(std::span<Factors const>) const override { throw unused(); }
  [[nodiscard]] double maximum() const override { throw unused(); }

 private:
  static DefectError unused() { return DefectError("an integrator used an operation of solvers"); }
};

/// A few ordinary differential equations, u' = f(t, u) + A u + s(t), solved by elimination. It counts its calls, and
/// checks that callers keep the rules of EvolvingSystem.
class SmallSystem final : public EvolvingSystem {
 public:
  using Numbers = std::vector<double>;
  using Rate = std::function<Numbers(double time, Numbers const& u)>;

  SmallSystem(std::size_t size, Rate f) : size_(size), f_(std::move(f)) {}
  SmallSystem(std::size_t size, Rate f, Numbers a, std::function<Numbers(double)> source)
      : size_(size), f_(std::move(f)), a_(std::move(a)), source_(std::move(source)) {}

  int made = 0;   ///< states
  int rates = 0;  ///< evaluations, of any part
  int solves = 0;
  int most_terms = 0;

  [[nodiscard]] std::unique_ptr<Vector> create_state() const override {
    ++const_cast<SmallSystem*>(this)->made;
    return std::make_unique<NumbersState>(Numbers(size_, std::nan("")));
  }

  void evaluate(RatePart part, double time, Vector& y, double own, std::span<WeightedVector const> terms, double scale,
                Vector& out, Vector* slope) override {
    if (&out == &y || slope == &y || slope == &out) throw DefectError("an evaluation into what it reads");
    ++rates;
    most_terms = std::max(most_terms, static_cast<int>(terms.size()));
    Numbers rate = f_ ? f_(time, values(y)) : Numbers(size_, 0.0);
    if (part == RatePart::whole && !a_.empty()) {
      Numbers const source = source_(time);
      for (std::size_t n = 0; n < size_; ++n) {
        rate[n] += source[n];
        for (std::size_t m = 0; m < size_; ++m) rate[n] += a_[n * size_ + m] * values(y)[m];
      }
    }
    Numbers sum = NumbersState::sum(terms, size_);
    for (std::size_t n = 0; n < size_; ++n) sum[n] += (own == 0 ? 0 : own * values(y)[n]) + scale * rate[n];
    values(out) = sum;
    if (slope != nullptr) values(*slope) = rate;
  }

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, Vector const& right, Vector& out) override {
    if (a_.empty()) throw DefectError("nothing to solve for");
    ++solves;
    Numbers x = values(right);
    Numbers const source = source_(time);
    for (std::size_t n = 0; n < size_; ++n) x[n] += scale * source[n];
    Numbers matrix(size_ * size_);
    for (std::size_t n = 0; n < matrix.size(); ++n) matrix[n] = (n % (size_ + 1) == 0 ? 1 : 0) - scale * a_[n];
    eliminate(matrix, x);
    values(out) = x;
    SolveReport report;
    report.outcome = Outcome::converged;
    return {report};
  }

 private:
  static Numbers& values(Vector& state) { return dynamic_cast<NumbersState&>(state).values; }
  static Numbers const& values(Vector const& state) { return NumbersState::of(state); }

  /// Solves a system by elimination with partial pivoting; x is the right-hand side, then the solution.
  void eliminate(Numbers& matrix, Numbers& x) const {
    auto const entry = [&](std::size_t row, std::size_t column) -> double& { return matrix[row * size_ + column]; };
    for (std::size_t k = 0; k < size_; ++k) {
      std::size_t pivot = k;
      for (std::size_t row = k; row < size_; ++row) {
        if (std::abs(entry(row, k)) > std::abs(entry(pivot, k))) pivot = row;
      }
      for (std::size_t column = 0; column < size_; ++column) std::swap(entry(k, column), entry(pivot, column));
      std::swap(x[k], x[pivot]);
      for (std::size_t row = 0; row < size_; ++row) {
        if (row == k) continue;
        double const factor = entry(row, k) / entry(k, k);
        for (std::size_t column = k; column < size_; ++column) entry(row, column) -= factor * entry(k, column);
        x[row] -= factor * x[k];
      }
    }
    for (std::size_t k = 0; k < size_; ++k) x[k] /= entry(k, k);
  }

  std::size_t size_;
  Rate f_;
  Numbers a_;  ///< by rows; empty: no g
  std::function<Numbers(double)> source_;
};

}  // namespace halocline
