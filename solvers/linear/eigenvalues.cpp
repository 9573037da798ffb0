#include "solvers/linear/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/convergence.hpp"
#include "solvers/linear/stationary_preconditioners.hpp"

namespace halocline {

namespace {

/// Number of eigenvalues below `value`: negative pivots in the factorisation of T - value.
Index eigenvalues_below(std::span<double const> diagonal, std::span<double const> off_diagonal, double value) {
  Index below = 0;
  double pivot = 1;
  for (std::size_t n = 0; n < diagonal.size(); ++n) {
    double const coupling = n == 0 ? 0 : off_diagonal[n - 1] * off_diagonal[n - 1];
    pivot = diagonal[n] - value - coupling / pivot;
    // A pivot of zero is shifted by less than rounding, so that the next division is defined.
    if (pivot == 0) pivot = -std::numeric_limits<double>::min();
    if (pivot < 0) ++below;
  }
  return below;
}

/// The largest value that has at most `count` eigenvalues below it.
double bisect(std::span<double const> diagonal, std::span<double const> off_diagonal, Index count, double low,
              double high) {
  double const width = 1e-15 * std::max(std::abs(low), std::abs(high));
  while (high - low > width) {
    double const middle = low + (high - low) / 2;
    (eigenvalues_below(diagonal, off_diagonal, middle) > count ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

EigenvalueBounds tridiagonal_bounds(std::span<double const> diagonal, std::span<double const> off_diagonal) {
  if (diagonal.empty()) throw DefectError("eigenvalues of an empty matrix");
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t n = 0; n < diagonal.size(); ++n) {
    double const radius =
        (n > 0 ? std::abs(off_diagonal[n - 1]) : 0) + (n + 1 < diagonal.size() ? std::abs(off_diagonal[n]) : 0);
    if (!std::isfinite(diagonal[n]) || !std::isfinite(radius)) {
      throw UnsuitableOperator(
          "the eigenvalues cannot be estimated: the Lanczos matrix is not finite; scale the problem");
    }
    low = std::min(low, diagonal[n] - radius);
    high = std::max(high, diagonal[n] + radius);
  }
  auto const last = static_cast<Index>(diagonal.size()) - 1;
  return {bisect(diagonal, off_diagonal, 0, low, high), bisect(diagonal, off_diagonal, last, low, high)};
}

EigenvalueBounds lanczos_bounds(std::span<CgCoefficients const> coefficients) {
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  for (std::size_t n = 0; n < coefficients.size(); ++n) {
    auto const [alpha, beta] = coefficients[n];
    double const before = n == 0 ? 0 : coefficients[n - 1].beta / coefficients[n - 1].alpha;
    diagonal.push_back(1 / alpha + before);
    if (n + 1 < coefficients.size()) off_diagonal.push_back(std::sqrt(beta) / alpha);
  }
  return tridiagonal_bounds(diagonal, off_diagonal);
}

EigenvalueBounds ritz_bounds(Operator const& a, double operator_norm, Index steps) {
  if (operator_norm == 0) return {};
  auto v = a.create_vector();
  auto before = a.create_vector();
  auto const product = a.create_vector();
  v->randomize(1);
  v->scale(1 / std::sqrt(v->square()));
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  // The matrix of A / ||A||, whose squares are in range.
  while (static_cast<Index>(diagonal.size()) < steps) {
    diagonal.push_back(apply_dot(a, *v, *product) / operator_norm);
    product->combine(-diagonal.back(), *v, 1 / operator_norm);
    if (!off_diagonal.empty()) product->add(-off_diagonal.back(), *before);
    off_diagonal.push_back(std::sqrt(product->square()));
    if (!std::isfinite(diagonal.back()) || !std::isfinite(off_diagonal.back())) {
      double const nan = std::numeric_limits<double>::quiet_NaN();
      return {nan, nan};
    }
    // The Krylov space is exhausted.
    if (off_diagonal.back() <= rounding_level(v->precision(), 1, 1, 0)) break;
    std::swap(before, v);
    v->copy(*product);
    v->scale(1 / off_diagonal.back());
  }
  off_diagonal.pop_back();
  auto const [smallest, largest] = tridiagonal_bounds(diagonal, off_diagonal);
  return {smallest * operator_norm, largest * operator_norm};
}

EigenvalueBounds estimate_eigenvalues(Operator const& a, Index steps) {
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  // b is in the range of A, so that a singular A has no direction without curvature. Starting from x != 0 would be
  // equivalent, except for the rounding of b - A x.
  x->randomize(1);
  if (x->square() == 0) return {1, 1};
  a.apply(*x, *b);
  x->fill(0);
  ConjugateGradients lanczos({.relative = 0, .absolute = 0, .iterations = steps},
                             std::make_unique<JacobiPreconditioner>());
  lanczos.prepare(a);
  SolveReport const report = lanczos.solve(a, *b, *x);
  if (lanczos.coefficients().empty()) {
    throw UnsuitableOperator("the eigenvalues cannot be estimated: " + std::string(to_string(report.outcome)) +
                             (report.remark.empty() ? "" : ", " + report.remark));
  }
  return lanczos_bounds(lanczos.coefficients());
}

}  // namespace halocline
