#include "solvers/linear/convergence.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

constexpr double most_growth = 1e10;
/// Next to the root of the smallest number: squares of what adds up to less have no digits left.
constexpr double smallest_norm = 1e-150;
constexpr Index most_in_vain = 1000;

}  // namespace

double epsilon(Precision precision) {
  return precision == Precision::single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                        : std::numeric_limits<double>::epsilon();
}

double rounding_level(Precision precision, double operator_norm, double x_norm, double b_norm) {
  double const level = rounding_factor * epsilon(precision) * (operator_norm * x_norm + b_norm);
  return std::isfinite(level) ? level : 0;
}

bool underflows(double norm, Vector const& x) { return norm < smallest_norm && x.maximum() != 0; }

Failure why_not_finite(double value, Vector const& x) {
  if (std::isinf(value) && std::isfinite(x.maximum()))
    return {Outcome::overflow, "entries are too large to be squared; scale the problem"};
  return {Outcome::not_a_number,
          "there are entries that are no finite numbers; look at coefficients, sources and the initial guess"};
}

void Convergence::begin(double initial, double right_hand_side) {
  initial_ = initial;
  target_ = criteria_.target(initial, right_hand_side);
  smallest_ = initial;
  since_smallest_ = 0;
}

double Convergence::most() const { return most_growth * initial_; }
Index Convergence::patience() const { return most_in_vain - since_smallest_; }

std::optional<Failure> Convergence::failure(double residual) {
  if (std::isnan(residual)) {
    return Failure{Outcome::not_a_number, "the residual is no number; look at coefficients, sources and the guess"};
  }
  if (!(residual <= most())) {
    return Failure{
        Outcome::diverged,
        "the residual has grown beyond all measure; take a method that suits the operator (verify: true looks at it)"};
  }
  since_smallest_ = residual < smallest_ ? 0 : since_smallest_ + 1;
  smallest_ = std::min(smallest_, residual);
  if (since_smallest_ >= most_in_vain) {
    return Failure{Outcome::stalled, "no residual was smaller for long; choose another method or preconditioner"};
  }
  return std::nullopt;
}

}  // namespace halocline
