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
    // Scaled to the size of 1 / ||A||, so that no sum of large products is out of range.
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

PreconditionerProducts preconditioner_products(Preconditioner& m, Vector& x, Vector& y, Vector& image) {
  PreconditionerProducts found;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    x.randomize(2 * pair + 1);
    y.randomize(2 * pair + 2);
    double const x_norm = std::sqrt(x.square());
    double const y_norm = std::sqrt(y.square());
    m.apply(x, image);
    // Scaled to about one, so that squares are in range.
    double const size = image.maximum();
    if (size > 0) image.scale(1 / size);
    double const y_image = image.dot(y);
    double const x_image_norm = std::sqrt(image.square());
    double const product = size > 0 ? image.dot(x) / (x_norm * x_image_norm) : size;
    m.apply(y, image);
    if (size > 0) image.scale(1 / size);
    double const scale = x_norm * std::sqrt(image.square()) + y_norm * x_image_norm;
    // Products of n random entries are about 1 / sqrt(n) of the product of their norms, and so are rounding errors.
    double const defect = std::abs(y_image - image.dot(x)) * std::sqrt(static_cast<double>(x.size())) / scale;
    // Written so that NaN is stored, too.
    if (!(defect <= found.symmetry_defect)) found.symmetry_defect = defect;
    if (!(product >= found.smallest_product)) found.smallest_product = product;
  }
  return found;
}

bool is_symmetric(PreconditionerProducts const& products) {
  constexpr double roundings = 1000;
  return products.symmetry_defect <= roundings * epsilon(Precision::single);
}

std::optional<NullConstants> NullConstants::of(Operator const& a) {
  NullConstants found;
  found.measure_ = a.null_space_measure();
  if (found.measure_ == nullptr) return std::nullopt;
  found.ones_ = a.create_vector();
  found.ones_->fill(1);
  found.total_ = found.ones_->dot(*found.measure_);
  return found;
}

double NullConstants::null_part(Vector const& b) const {
  return std::abs(ones_->dot(b)) / std::sqrt(static_cast<double>(b.size()));
}

bool in_null_space(Operator const& a, double operator_norm, Vector const& z, Vector& product) {
  double const z_norm = std::sqrt(z.square());
  if (!(z_norm > 0)) return false;
  a.apply(z, product);
  return std::sqrt(product.square()) <= rounding_level(z.precision(), operator_norm, z_norm, 0);
}

}  // namespace halocline
