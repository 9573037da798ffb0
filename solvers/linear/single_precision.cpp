#include "solvers/linear/single_precision.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/operator/fused_passes.hpp"
#include "framework/operator/state_archive.hpp"

namespace halocline {
namespace {

/// Single precision ranges from 2^-126 to 2^127; coarser levels and inverses of the diagonal need part of that.
constexpr int largest_exponent = 100;
/// Exceeds the change of products between two iterations of a solve.
constexpr int largest_change = 80;

/// The power of two that scales the largest entry to about one.
double scale_for(Vector const& r) {
  double const largest = r.maximum();
  return largest > 0 && std::isfinite(largest) ? power_of_two(-std::ilogb(largest)) : 1;
}

}  // namespace

double power_of_two(double exponent) { return std::exp2(std::clamp(std::round(exponent), -1000.0, 1000.0)); }

std::unique_ptr<SinglePrecisionForm> require_single_precision(Operator const& a) {
  auto single = a.in_single_precision();
  if (single == nullptr) throw UnsuitableOperator("the operator has no single-precision form");
  double const norm = a.norm_bound();
  if (norm > 0 && std::abs(std::log2(norm)) > largest_exponent) {
    throw UnsuitableOperator(
        "the operator's entries are out of the range of single precision; choose `precision: run` for cycles");
  }
  return single;
}

SinglePrecision::SinglePrecision(std::unique_ptr<Preconditioner> inner) : inner_(std::move(inner)) {}

void SinglePrecision::prepare(Operator const& a) {
  a_ = nullptr;
  bool const is_single = a.create_vector()->precision() == Precision::single;
  if (is_single) return inner_->prepare(a);
  a_ = require_single_precision(a);
  r_ = a_->rounded().create_vector();
  z_ = a_->rounded().create_vector();
  scale_ = 0;
  inner_->prepare(a_->rounded());
}

void SinglePrecision::apply(Vector const& r, Vector& z) {
  if (a_ == nullptr) return inner_->apply(r, z);
  double const scale = scale_for(r);
  r_->convert(r, scale);
  inner_->apply(*r_, *z_);
  z.convert(*z_, 1 / scale);
}

double SinglePrecision::start_dot(Vector const& r, Vector& z) {
  if (a_ == nullptr) return inner_->start_dot(r, z);
  double const scale = scale_for(r);
  r_->convert(r, scale);
  inner_->start(*r_, *z_);
  return convert_and_dot(z, *z_, 1 / scale, r);
}

/// Products with z show the size of residuals; computing the largest entry each time would need another pass.
double SinglePrecision::apply_dot(Vector const& r, Vector& z) {
  if (a_ == nullptr) return inner_->apply_dot(r, z);
  auto const apply_with_scale = [&] {
    r_->convert(r, scale_);
    inner_->apply(*r_, *z_);
    return convert_and_dot(z, *z_, 1 / scale_, r);
  };
  bool const is_known = scale_ > 0;
  if (!is_known) scale_ = scale_for(r);
  double product = apply_with_scale();
  // Another solve may have begun, with residuals far from those of the last one.
  double const change = product * scale_ * scale_ / product_at_scale_;
  bool const is_regular = product > 0 && std::isfinite(product) &&
                          (!is_known || (change > std::exp2(-largest_change) && change < std::exp2(largest_change)));
  if (is_known && !is_regular) {
    scale_ = scale_for(r);
    product = apply_with_scale();
  }
  if (!is_known || !is_regular) product_at_scale_ = product * scale_ * scale_;
  follow(product);
  return product;
}

void SinglePrecision::follow(double product) {
  bool const is_regular = product > 0 && std::isfinite(product) && product_at_scale_ > 0;
  scale_ = is_regular ? power_of_two(0.5 * (std::log2(product_at_scale_) - std::log2(product))) : 0;
}

void SinglePrecision::serialize(StateArchive& state, std::string const& group) {
  state.number(group + "/scale", scale_);
  state.number(group + "/product_at_scale", product_at_scale_);
  inner_->serialize(state, group);
}

}  // namespace halocline
