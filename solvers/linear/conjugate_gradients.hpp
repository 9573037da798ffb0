#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Scalars of one step of conjugate gradients. They hold the matrix of the Lanczos process, see eigenvalues.hpp.
struct CgCoefficients {
  double alpha;  ///< length of the step
  double beta;   ///< weight of the old direction in the next one
};

/// What the criteria of conjugate gradients are held to.
enum class ResidualNorm {
  two,     ///< ||r||
  natural  ///< the root of r . M^-1 r: about the error in the energy norm, as far as M is like A
};

struct CgOptions {
  /// The preconditioner may be another one in every iteration (Notay, 2000, SIAM Journal on Scientific Computing 22,
  /// with the direction before alone): one more vector, and one more pass over two.
  bool flexible = false;
  ResidualNorm norm = ResidualNorm::two;
  /// b - A x takes the place of the recurrence's residual before rounding has led that astray, and directions go on
  /// (van der Vorst and Ye, 2000, SIAM Journal on Scientific Computing 22, section 3).
  bool replaces_residuals = false;
};

/// Conjugate gradients, preconditioned or not (Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 9.1), for symmetric positive definite operators. A step is two calls: Operator::cg_step, which
/// also makes the update of x that the step before owes, and Operator::cg_residual.
///
/// The residual of the recurrence drifts away from b - A x by rounding. When it meets the criteria, or falls below what
/// rounding explains, b - A x is computed: it decides. Where the recurrence has drifted while rounding does not explain
/// the difference, the iteration starts again from b - A x; a start that did not halve it means stalled.
///
/// The 2-norm of r may rise for thousands of iterations. What falls in each is the error in the energy norm: its square
/// by alpha (r . z), also in finite precision and for any preconditioner, as r is orthogonal to the direction before
/// (Hestenes and Stiefel 1952, theorem 6:1; Strakoš and Tichý, 2002, Electronic Transactions on Numerical Analysis 13,
/// section 4). So no plateau of r is a stall before that sum no longer grows (Convergence), and at the end of each
/// b - A x is looked at. Where there is no solution the sum has no bound, and the residual grows until it is called
/// diverged.
///
/// Reports have the history and the initial and final residual in the norm that was chosen.
class ConjugateGradients final : public LinearSolver {
 public:
  /// A null preconditioner means none.
  explicit ConjugateGradients(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr,
                              CgOptions options = {});
  ~ConjugateGradients() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] Preconditioner* symmetric_preconditioner() const override {
    return options_.flexible || !obstacle_.empty() ? nullptr : preconditioner_.get();
  }
  [[nodiscard]] std::vector<std::string> fallbacks() const override {
    return preconditioner_ ? preconditioner_->fallbacks() : std::vector<std::string>{};
  }
  void set_criteria(Criteria const& criteria) override { criteria_ = criteria; }
  [[nodiscard]] Criteria criteria() const override { return criteria_; }
  /// Of the last solve, from its last start on.
  [[nodiscard]] std::vector<CgCoefficients> const& coefficients() const { return coefficients_; }

 private:
  friend class CgIteration;
  Criteria criteria_;
  std::unique_ptr<Preconditioner> preconditioner_;
  CgOptions options_;
  std::unique_ptr<Vector> r_, z_, p_, work_;
  std::unique_ptr<Vector> r_before_;  ///< where a preconditioner may change
  double operator_norm_ = 0;
  std::string obstacle_;  ///< why the preconditioner could not be made; empty if it could
  std::vector<CgCoefficients> coefficients_;
};

}  // namespace halocline
