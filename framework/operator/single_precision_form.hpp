#pragma once

#include <memory>
#include <utility>

#include "framework/operator/operator.hpp"

namespace halocline {

/// An operator on vectors of single precision, with rounded entries, and the conversion of residuals to its space.
class SinglePrecisionForm {
 public:
  /// \param exact the operator whose single-precision form is `rounded`; must outlive this object
  SinglePrecisionForm(Operator const& exact, std::unique_ptr<Operator> rounded)
      : exact_(exact), rounded_(std::move(rounded)) {}
  virtual ~SinglePrecisionForm() = default;
  SinglePrecisionForm(SinglePrecisionForm const&) = delete;
  SinglePrecisionForm& operator=(SinglePrecisionForm const&) = delete;

  [[nodiscard]] Operator const& exact() const { return exact_; }
  [[nodiscard]] Operator const& rounded() const { return *rounded_; }
  /// r = scale (b - A x) in single precision, where A is the exact operator and the residual is computed in its
  /// precision. Returns the square of the 2-norm of b - A x, as computed from r.
  virtual double residual(double scale, Vector const& b, Vector const& x, Vector& r) const;

 private:
  Operator const& exact_;
  std::unique_ptr<Operator> rounded_;
  mutable std::unique_ptr<Vector> residual_;  ///< made when first needed
};

}  // namespace halocline
