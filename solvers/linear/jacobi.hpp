#pragma once

#include <memory>
#include <string>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// The quantity that a stationary iteration monitors.
enum class StoppingQuantity {
  residual,  ///< 2-norm of b - A x
  change     ///< root mean square of x_new - x over the unknowns
};

/// Jacobi's iteration x <- x + weight D^-1 (b - A x) (Saad, Iterative Methods for Sparse Linear Systems, section 4.1).
/// Each step is one pass that also computes both JacobiSquares; the residual is that of the previous x.
///
/// For a symmetric positive definite A and weights below 2 over the largest eigenvalue of D^-1 A, the error falls in
/// the energy norm. For other operators no norm need fall before an error has travelled through all unknowns (upwind
/// differences, D^-1 A - I nilpotent). So a solve has stalled when the residual has not reached a new minimum for ten
/// steps per unknown, and at least 1000.
///
/// If the change is monitored, the criteria apply to it (relative to the first change); the true residual at the end is
/// reported, but has no effect.
class Jacobi final : public LinearSolver {
 public:
  explicit Jacobi(Criteria criteria, double weight = 1, StoppingQuantity quantity = StoppingQuantity::residual)
      : criteria_(criteria), weight_(weight), quantity_(quantity) {}

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  void set_criteria(Criteria const& criteria) override { criteria_ = criteria; }
  [[nodiscard]] Criteria criteria() const override { return criteria_; }
  [[nodiscard]] double error_factor(double contrast) const override {
    return quantity_ == StoppingQuantity::residual ? contrast : 1;
  }

 private:
  friend class JacobiIteration;
  Criteria criteria_;
  double weight_;
  StoppingQuantity quantity_;
  std::unique_ptr<Vector> next_;
  double operator_norm_ = 0;
  std::string obstacle_;  ///< what is wrong with the diagonal; empty if nothing
};

}  // namespace halocline
