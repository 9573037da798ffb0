#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "solvers/linear/cg_engine.hpp"
#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Scalars of one step of conjugate gradients. They define the matrix of the Lanczos process, see eigenvalues.hpp.
struct CgCoefficients {
  double alpha;  ///< length of the step
  double beta;   ///< weight of the old direction in the next one
};

/// Norm of the residual for the criteria of conjugate gradients.
enum class ResidualNorm {
  two,     ///< ||r||
  natural  ///< the root of r . M^-1 r: approximates the energy norm of the error as well as M approximates A
};

struct CgOptions {
  /// The preconditioner may differ in every iteration (Notay, 2000, SIAM Journal on Scientific Computing 22, truncated
  /// to the previous direction). Costs one more vector and one more pass over two.
  bool flexible = false;
  ResidualNorm norm = ResidualNorm::two;
  /// Replaces the recurrence's residual by b - A x before rounding makes it wrong, and keeps the directions (van der
  /// Vorst and Ye, 2000, SIAM Journal on Scientific Computing 22, section 3).
  bool replaces_residuals = false;
};

/// Conjugate gradients, preconditioned or not (Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear
/// Systems, algorithm 9.1), for symmetric positive definite operators. A CgEngine executes the steps.
///
/// The 2-norm of r may rise for thousands of iterations. The energy norm of the error falls in each: its square by
/// alpha (r . z), also in finite precision and for any preconditioner, because r is orthogonal to the previous
/// direction (Hestenes and Stiefel 1952, theorem 6:1; Strakoš and Tichý, 2002, Electronic Transactions on Numerical
/// Analysis 13, section 4). So a plateau of r is a stall only if that sum no longer grows (Convergence), and each
/// plateau ends with a true-residual check. If there is no solution, the sum is unbounded, and the residual grows until
/// the solve is called diverged.
///
/// Reports give the history and the initial and final residual in the chosen norm.
class ConjugateGradients final : public KrylovSolver {
 public:
  /// A null preconditioner means none.
  explicit ConjugateGradients(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr,
                              CgOptions options = {});
  ~ConjugateGradients() override;

  /// The natural norm is about the energy norm of the error, in which the square of an error counts as much as the
  /// coefficient beside it.
  [[nodiscard]] double error_factor(double contrast) const override {
    return is_natural() ? std::sqrt(contrast) : contrast;
  }
  /// Coefficients of the last solve, since its last start.
  [[nodiscard]] std::vector<CgCoefficients> const& coefficients() const { return coefficients_; }

 protected:
  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *q_; }
  [[nodiscard]] Vector* spare() const override { return r_.get(); }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] bool needs_symmetry() const override { return !options_.flexible; }
  [[nodiscard]] std::function<double(Vector const&)> norm() override;
  void finish(Outcome outcome) override;

 private:
  [[nodiscard]] bool is_natural() const { return options_.norm == ResidualNorm::natural && has_preconditioner(); }
  /// Returns whether the directions start anew, from b - A x.
  [[nodiscard]] bool begin(ResidualSolve& solve, Operator const& a, Vector& x);
  /// Begins a sequence of directions, with the preconditioner's better first step if it has one: z close to A^-1 r.
  void begin_directions(ResidualSolve const& solve);
  /// product_ = r . z with z = M^-1 r; returns the failure if that is not positive and finite.
  [[nodiscard]] std::optional<Outcome> precondition(ResidualSolve& solve);
  /// The outcome of a solve whose p . A p is not positive and finite.
  [[nodiscard]] std::optional<Outcome> end_without_curvature(ResidualSolve& solve, double curvature);
  /// The outcome if nothing but rounding errors is left of the residual.
  [[nodiscard]] std::optional<Outcome> end_within_rounding(ResidualSolve& solve);
  /// Replaces r by b - A x once the bound of their difference is no longer small compared with r.
  void replace_residual(ResidualSolve& solve, Vector const& x);
  [[nodiscard]] Vector const& z() const { return has_preconditioner() ? *z_ : *r_; }

  CgOptions options_;
  std::unique_ptr<Vector> r_, z_, p_, q_;
  std::unique_ptr<Vector> r_before_;  ///< if the preconditioner may change
  std::unique_ptr<CgEngine> engine_;  ///< of the current solve
  CgRecurrence recurrence_;
  double product_ = 0;                    ///< r . z
  std::optional<double> scaled_product_;  ///< r . z, if the last step made z
  bool is_preconditioned_ = false;        ///< z and product_ already belong to r
  bool begins_again_ = false;             ///< the current direction is not M^-1 r, so the next one starts anew
  bool recurrence_converged_ = false;     ///< at the end of the last iterations
  double residual_ = 0;                   ///< ||r|| of the recurrence
  double residual_before_ = 0;            ///< … of the step before
  double deviation_ = 0;                  ///< bound of the rounding errors in r - (b - A x) …
  double deviation_then_ = 0;             ///< … when b - A x last replaced r
  std::vector<CgCoefficients> coefficients_;
};

}  // namespace halocline
