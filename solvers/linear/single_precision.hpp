#pragma once

#include <memory>

#include "framework/operator/single_precision_form.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Throws UnsuitableOperator if the operator, of double precision, has no single-precision form, or its entries exceed
/// the range of single precision.
[[nodiscard]] std::unique_ptr<SinglePrecisionForm> require_single_precision(Operator const& a);

/// A power of two that is in the range of double, like its inverse.
[[nodiscard]] double power_of_two(double exponent);

/// A preconditioner that works in single precision for a solver in double: half the bytes. It only approximates the
/// inverse of the operator, and seven digits are more accurate than any cycle. The solver's own vectors and residuals
/// stay in double. Residuals are first scaled to about one by a power of two, so that none is too small for single
/// precision (Carson and Higham, Accelerating the solution of linear systems by iterative refinement in three
/// precisions, SIAM J. Sci. Comput. 40, 2018, section 7).
class SinglePrecision final : public Preconditioner {
 public:
  explicit SinglePrecision(std::unique_ptr<Preconditioner> inner);

  /// Throws UnsuitableOperator if the operator has no single-precision form, or its entries exceed the range of single
  /// precision. An operator of single precision is used directly.
  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;
  [[nodiscard]] double apply_dot(Vector const& r, Vector& z) override;
  [[nodiscard]] std::vector<std::string> fallbacks() const override { return inner_->fallbacks(); }
  [[nodiscard]] bool has_start() const override { return inner_->has_start(); }
  void start(Vector const& r, Vector& z) override { static_cast<void>(start_dot(r, z)); }
  [[nodiscard]] double start_dot(Vector const& r, Vector& z) override;
  void serialize(StateArchive& state, std::string const& group) override;

 private:
  /// Adapts `scale_` so that a residual as large as the last one gives the product `product_at_scale_`.
  void follow(double product);

  std::unique_ptr<Preconditioner> inner_;
  std::unique_ptr<SinglePrecisionForm> a_;  ///< null if the solver's operator has single precision
  std::unique_ptr<Vector> r_, z_;
  double scale_ = 0;             ///< a power of two; 0: not determined yet
  double product_at_scale_ = 0;  ///< r . M^-1 r when it was chosen
};

}  // namespace halocline
