#pragma once

#include <memory>
#include <string>

#include "framework/operator/single_precision_form.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace halocline {

/// Multigrid cycles in single precision within iterative refinement: x = x + M^-1 (b - A x), with x and b - A x in
/// double precision and everything else in single (Carson and Higham, Accelerating the solution of linear systems by
/// iterative refinement in three precisions, SIAM J. Sci. Comput. 40, 2018). Beside its cycle, an iteration passes over
/// five vectors of double precision, where conjugate gradients need thirteen.
///
/// Every iteration starts from b - A x itself, so nothing drifts. After an iteration that removed less than half of the
/// residual, step lengths are those of steepest descent (Saad, Iterative Methods for Sparse Linear Systems, section
/// 5.3.1), so that cycles which overshoot converge, too.
class MultigridRefinement final : public LinearSolver {
 public:
  MultigridRefinement(Criteria const& criteria, MultigridSettings const& settings);

  /// Solves with an operator that has no single-precision form end as `breakdown`; an operator of single precision is
  /// passed on to MultigridSolver.
  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] std::vector<std::string> fallbacks() const override {
    return is_plain_ ? plain_.fallbacks() : cycles_.fallbacks();
  }
  void set_criteria(Criteria const& criteria) override {
    criteria_ = criteria;
    plain_.set_criteria(criteria);
  }
  [[nodiscard]] Criteria criteria() const override { return criteria_; }

 private:
  class Solve;
  Criteria criteria_;
  Multigrid cycles_;
  MultigridSolver plain_;  ///< for operators of single precision
  bool is_plain_ = false;
  std::unique_ptr<SinglePrecisionForm> rounded_;  ///< the operator in single precision
  std::unique_ptr<Vector> r_, z_;  ///< in single precision: a residual scaled to about one, and its correction
  std::unique_ptr<Vector> image_;  ///< A z, made when steepest descent first needs it
  double operator_norm_ = 0;
  std::string obstacle_;
};

}  // namespace halocline
