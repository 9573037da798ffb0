#include "solvers/linear/convergence.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

constexpr double most_growth = 1e10;
/// Near the root of the smallest number: squares that sum to less have no digits left.
constexpr double smallest_norm = 1e-150;
constexpr Index shortest_plateau = 1000;

}  // namespace

double epsilon(Precision precision) {
  return precision == Precision::single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                        : std::numeric_limits<double>::epsilon();
}

double rounding_level(Precision precision, double operator_norm, double x_norm, double b_norm) {
  double const level = rounding_factor * epsilon(precision) * (operator_norm * x_norm + b_norm);
  return std::isfinite(level) ? level : 0;
}

bool underflows(double norm, Vector const& x) {
  // Squares are computed in the precision of the entries, and summed in double.
  double const smallest = x.precision() == Precision::single
                              ? std::sqrt(static_cast<double>(x.size()) * std::numeric_limits<float>::min())
                              : smallest_norm;
  return norm < smallest && x.maximum() != 0;
}

Failure why_not_finite(double value, Vector const& x) {
  if (std::isinf(value) && std::isfinite(x.maximum()))
    return {Outcome::overflow, "entries are too large to be multiplied with each other; scale the problem"};
  return {Outcome::not_a_number, "some entries are not finite; check coefficients, sources and the initial guess"};
}

void Convergence::begin(double initial, double right_hand_side) {
  initial_ = initial;
  target_ = criteria_.target(initial, right_hand_side);
  smallest_ = initial;
  since_smallest_ = 0;
  begin_plateau();
}

void Convergence::begin_plateau() {
  on_plateau_ = 0;
  plateau_ = std::max(shortest_plateau, residuals_ / 2);
  descent_at_plateau_ = descent_;
}

bool Convergence::descended(Precision precision) {
  double const rounding = epsilon(precision) * epsilon(precision) * descent_;
  bool const fell = descent_ - descent_at_plateau_ > rounding;
  begin_plateau();
  return fell;
}

double Convergence::most() const { return most_growth * initial_; }

std::optional<Failure> Convergence::failure(double residual) {
  if (std::isnan(residual)) {
    return Failure{Outcome::not_a_number,
                   "the residual is not a number; check coefficients, sources and the initial guess"};
  }
  if (!(residual <= most())) {
    return Failure{
        Outcome::diverged,
        "the residual grows without bound; use a method that suits the operator (verify: true checks the operator)"};
  }
  ++residuals_;
  ++since_smallest_;
  ++on_plateau_;
  if (residual < smallest_) {
    smallest_ = residual;
    since_smallest_ = 0;
    begin_plateau();
  }
  return std::nullopt;
}

}  // namespace halocline
