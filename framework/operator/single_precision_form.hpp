#pragma once

#include <memory>
#include <utility>

#include "framework/operator/operator.hpp"

namespace halocline {

/// An operator on vectors of single precision, with entries rounded to it, and the way of residuals to its space.
class SinglePrecisionForm {
 public:
  /// \param exact the operator that `rounded` is in single precision; outlives this object
  SinglePrecisionForm(Operator const& exact, std::unique_ptr<Operator> rounded)
      : exact_(exact), rounded_(std::move(rounded)) {}
  virtual ~SinglePrecisionForm() = default;
  SinglePrecisionForm(SinglePrecisionForm const&) = delete;
  SinglePrecisionForm& operator=(SinglePrecisionForm const&) = delete;

  [[nodiscard]] Operator const& exact() const { return exact_; }
  [[nodiscard]] Operator const& rounded() const { return *rounded_; }
  /// r = scale (b - A x) in single precision, with A the exact operator and computed in its precision; returns the
  /// square of the 2-norm of b - A x as r shows it.
  virtual double residual(double scale, Vector const& b, Vector const& x, Vector& r) const;

 private:
  Operator const& exact_;
  std::unique_ptr<Operator> rounded_;
  mutable std::unique_ptr<Vector> residual_;  ///< made when first needed
};

}  // namespace halocline
