#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "solvers/linear/cg_engine.hpp"
#include "solvers/linear/krylov_solver.hpp"

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
/// Systems, algorithm 9.1), for symmetric positive definite operators. How steps are taken is for a CgEngine.
///
/// The 2-norm of r may rise for thousands of iterations. What falls in each is the error in the energy norm: its square
/// by alpha (r . z), also in finite precision and for any preconditioner, as r is orthogonal to the direction before
/// (Hestenes and Stiefel 1952, theorem 6:1; Strakoš and Tichý, 2002, Electronic Transactions on Numerical Analysis 13,
/// section 4). So no plateau of r is a stall before that sum no longer grows (Convergence), and at the end of each
/// b - A x is looked at. Where there is no solution the sum has no bound, and the residual grows until it is called
/// diverged.
///
/// Reports have the history and the initial and final residual in the norm that was chosen.
class ConjugateGradients final : public KrylovSolver {
 public:
  /// A null preconditioner means none.
  explicit ConjugateGradients(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr,
                              CgOptions options = {});
  ~ConjugateGradients() override;

  /// Of the last solve, from its last start on.
  [[nodiscard]] std::vector<CgCoefficients> const& coefficients() const { return coefficients_; }

 protected:
  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *work_; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] bool needs_symmetry() const override { return !options_.flexible; }
  [[nodiscard]] std::function<double(Vector const&)> norm() override;
  void finish(Outcome outcome) override;

 private:
  [[nodiscard]] bool is_natural() const { return options_.norm == ResidualNorm::natural && has_preconditioner(); }
  /// Begins a sequence of directions with r.
  [[nodiscard]] std::optional<Outcome> start(ResidualSolve& solve);
  [[nodiscard]] std::optional<Outcome> step(ResidualSolve& solve, Vector const& x);
  /// z and beta of the next direction.
  [[nodiscard]] std::optional<Outcome> find_direction(ResidualSolve& solve);
  /// product_ = r . z with z = M^-1 r; says if that is not above zero, or no finite number.
  [[nodiscard]] std::optional<Outcome> precondition(ResidualSolve& solve);
  [[nodiscard]] std::optional<Outcome> end_within_rounding(ResidualSolve& solve);
  void replace_residual(ResidualSolve& solve, Vector const& x);
  [[nodiscard]] Vector const& z() const { return has_preconditioner() ? *z_ : *r_; }

  CgOptions options_;
  std::unique_ptr<Vector> r_, z_, p_, work_;
  std::unique_ptr<Vector> r_before_;  ///< where a preconditioner may change
  std::unique_ptr<CgEngine> engine_;  ///< of the present solve
  CgRecurrence recurrence_;
  double product_ = 0;              ///< r . z
  bool is_preconditioned_ = false;  ///< z and product_ are those of r already
  bool begins_again_ = false;       ///< the present direction is no M^-1 r, and none to go on from
  bool claimed_ = false;            ///< the recurrence said that the criteria are met
  double residual_ = 0;             ///< ||r|| of the recurrence
  double residual_before_ = 0;      ///< … of the step before
  double deviation_ = 0;            ///< bound of what rounding has set r apart from b - A x by …
  double deviation_then_ = 0;       ///< … when b - A x took its place
  std::vector<CgCoefficients> coefficients_;
};

}  // namespace halocline
