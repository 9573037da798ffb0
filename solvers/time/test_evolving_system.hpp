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

/// A state of a few numbers.
class NumbersState final : public SystemState {
 public:
  explicit NumbersState(std::vector<double> numbers) : values(std::move(numbers)) {}
  std::vector<double> values;
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

  [[nodiscard]] std::unique_ptr<SystemState> create_state() const override {
    ++const_cast<SmallSystem*>(this)->made;
    return std::make_unique<NumbersState>(Numbers(size_, std::nan("")));
  }
  void swap(SystemState& a, SystemState& b) override { std::swap(values(a), values(b)); }

  void evaluate(RatePart part, double time, SystemState& y, double own, std::span<WeightedState const> terms,
                double scale, SystemState& out, SystemState* slope) override {
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
    Numbers sum = summed(terms);
    for (std::size_t n = 0; n < size_; ++n) sum[n] += (own == 0 ? 0 : own * values(y)[n]) + scale * rate[n];
    values(out) = sum;
    if (slope != nullptr) values(*slope) = rate;
  }

  void combine(std::span<WeightedState const> terms, SystemState& out) override {
    most_terms = std::max(most_terms, static_cast<int>(terms.size()));
    values(out) = summed(terms);
  }

  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, SystemState const& right,
                                               SystemState& out) override {
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

  [[nodiscard]] double scaled_maximum(SystemState const& error, SystemState const& before, SystemState const& after,
                                      double absolute, double relative) override {
    double largest = 0;
    for (std::size_t n = 0; n < size_; ++n) {
      double const size = std::max(std::abs(values(before)[n]), std::abs(values(after)[n]));
      double const ratio = std::abs(values(error)[n]) / (absolute + relative * size);
      if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
  }

 private:
  static Numbers& values(SystemState& state) { return dynamic_cast<NumbersState&>(state).values; }
  static Numbers const& values(SystemState const& state) { return dynamic_cast<NumbersState const&>(state).values; }

  [[nodiscard]] Numbers summed(std::span<WeightedState const> terms) const {
    Numbers sum(size_, 0.0);
    for (auto const& [weight, state] : terms) {
      for (std::size_t n = 0; n < size_; ++n) sum[n] += weight * values(*state)[n];
    }
    return sum;
  }

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
