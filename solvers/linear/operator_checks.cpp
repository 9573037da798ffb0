#include "solvers/linear/operator_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "solvers/linear/convergence.hpp"

namespace halocline {

namespace {

constexpr std::uint64_t pairs = 3;

}  // namespace

double symmetry_defect(Operator const& a, double operator_norm) {
  if (operator_norm == 0) return 0;
  auto const x = a.create_vector();
  auto const y = a.create_vector();
  auto const product = a.create_vector();
  double largest = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    x->randomize(2 * pair + 1);
    y->randomize(2 * pair + 2);
    double const norms = std::sqrt(x->square()) * std::sqrt(y->square());
    // Of the size of 1 / ||A||, so that no sum of large products is out of range.
    y->scale(1 / operator_norm);
    a.apply(*x, *product);
    double const yax = product->dot(*y);
    a.apply(*y, *product);
    double const defect = std::abs(yax - product->dot(*x)) / (2 * norms);
    if (!std::isfinite(defect)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, defect);
  }
  return largest;
}

bool is_symmetric(double defect, Precision precision) { return defect <= rounding_level(precision, 1, 1, 0); }

bool has_constants_in_null_space(Operator const& a, double operator_norm, Vector const& ones, Vector& product) {
  a.apply(ones, product);
  // Seven entries, the diagonal being half of the norm: eight roundings of half a unit, of half the norm at most.
  return product.maximum() <= 2 * epsilon(ones.precision()) * operator_norm;
}

double mean_of(Vector const& ones, Vector const& x) { return ones.dot(x) / ones.square(); }

bool in_null_space(Operator const& a, double operator_norm, Vector const& z, Vector& product) {
  double const z_norm = std::sqrt(z.square());
  if (!(z_norm > 0)) return false;
  a.apply(z, product);
  return std::sqrt(product.square()) <= rounding_level(z.precision(), operator_norm, z_norm, 0);
}

}  // namespace halocline
