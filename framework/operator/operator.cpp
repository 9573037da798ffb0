#include "framework/operator/operator.hpp"

#include <cmath>

#include "framework/operator/coarsening.hpp"
#include "framework/operator/single_precision_form.hpp"

namespace halocline {

namespace {

/// Steps of the power method that estimates the norm from below; the result is doubled.
constexpr int power_steps = 10;

}  // namespace

Operator::Operator() = default;
Operator::~Operator() = default;

double Operator::residual(Vector const& b, Vector const& x, Vector& r) const {
  subtract_product(b, x, r);
  return r.square();
}

void Operator::subtract_product(Vector const& b, Vector const& x, Vector& r) const {
  apply(x, r);
  r.combine(1, b, -1);
}

bool Operator::diagonal(Vector&) const { return false; }

std::unique_ptr<Vector> Operator::null_space_measure() const { return nullptr; }

std::unique_ptr<Coarsening> Operator::coarsen() const { return nullptr; }

std::unique_ptr<SinglePrecisionForm> Operator::in_single_precision() const { return nullptr; }

double Operator::norm_bound() const {
  auto const x = create_vector();
  auto const y = create_vector();
  x->randomize(1);
  double norm = 0;
  for (int n = 0; n < power_steps; ++n) {
    double const length = std::sqrt(x->square());
    if (length == 0) return 0;
    apply(*x, *y);
    norm = std::sqrt(y->square()) / length;
    if (!std::isfinite(norm) || norm == 0) return norm;
    x->copy(*y);
    x->scale(1 / (norm * length));
  }
  return 2 * norm;
}

double SinglePrecisionForm::residual(double scale, Vector const& b, Vector const& x, Vector& r) const {
  if (residual_ == nullptr) residual_ = exact_.create_vector();
  double const square = exact_.residual(b, x, *residual_);
  r.convert(*residual_, scale);
  return square;
}

}  // namespace halocline
