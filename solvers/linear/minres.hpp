#pragma once

#include <memory>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// Minimal residuals, for symmetric operators, also indefinite ones (Paige and Saunders 1975; with a preconditioner,
/// which must be positive definite, Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers, 2nd
/// edition, algorithm 4.1). Without a preconditioner the residual never grows; with one, its norm by the preconditioner
/// never grows. The monitored 2-norm comes from a recurrence of the residual itself. A plateau of the 2-norm is a stall
/// if the other norm no longer falls either.
class Minres final : public KrylovSolver {
 public:
  explicit Minres(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  /// A rotation of two rows that makes the lower entry zero.
  struct Rotation {
    double cosine = 1;
    double sine = 0;
  };

  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *r_; }
  [[nodiscard]] Vector* spare() const override { return product_.get(); }
  [[nodiscard]] bool needs_symmetry() const override { return true; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] std::optional<Outcome> step(ResidualSolve& solve, Operator const& a, Vector& x);
  [[nodiscard]] std::optional<Outcome> find_norm(ResidualSolve& solve, Vector const& v,
                                                 std::unique_ptr<Vector> const& z);
  void normalise(Vector& v, Vector* z) const;

  std::unique_ptr<Vector> r_, v_, v_before_, w_, w_before_, product_;
  std::unique_ptr<Vector> z_, z_next_;  ///< if there is a preconditioner
  Rotation rotation_;
  Rotation before_;
  double gamma_ = 0;     ///< norm of v by the preconditioner: the entry below the diagonal of the tridiagonal matrix
  double largest_ = 0;   ///< norm of a column of that matrix
  double rest_ = 0;      ///< of the right-hand side: its magnitude is the residual's norm by the preconditioner
  double residual_ = 0;  ///< 2-norm of the residual
};

}  // namespace halocline
