#pragma once

#include <memory>
#include <vector>

#include "solvers/linear/krylov_solver.hpp"

namespace halocline {

/// How a new basis vector is made orthogonal to the others.
enum class Orthogonalisation {
  classical_twice,  ///< against all at once, then again to remove rounding errors: two sums over the ranks
  modified          ///< against one after the other: one sum over the ranks for each vector
};

/// Generalised minimal residuals with restarts, for any operator (Saad and Schultz 1986; Saad, Iterative Methods for
/// Sparse Linear Systems, algorithms 6.9, 9.5 and, flexible, 9.6). Right preconditioning, so that the residual is that
/// of A x = b itself; it never grows. It may stay constant within a cycle. A cycle without any gain is a stall, because
/// the next one would be the same.
class Gmres final : public KrylovSolver {
 public:
  struct Settings {
    Criteria criteria;
    Index restart = 30;     ///< basis vectors, after which x is formed and the basis dropped
    bool flexible = false;  ///< the preconditioner may differ in every iteration: one more vector for each
    Orthogonalisation orthogonalisation = Orthogonalisation::classical_twice;
  };
  explicit Gmres(Settings settings, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  /// A rotation of two rows that makes the lower entry zero.
  struct Rotation {
    double cosine;
    double sine;
    void operator()(double& upper, double& lower) const;
  };

  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *basis_.front(); }
  [[nodiscard]] Vector* spare() const override { return basis_[1].get(); }
  /// One cycle, up to the restart.
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] std::vector<double> next_direction(Operator const& a);
  [[nodiscard]] std::vector<double> make_orthogonal(Vector& next) const;
  void rotate(std::vector<double>& column);
  void add_solution(Vector& x);
  /// M^-1 times the n-th basis vector.
  [[nodiscard]] std::unique_ptr<Vector> const& direction(std::size_t n) const;

  Settings settings_;
  std::vector<std::unique_ptr<Vector>> basis_;           ///< restart + 1; the first holds b - A x between cycles
  std::vector<std::unique_ptr<Vector>> preconditioned_;  ///< by basis vector if flexible, otherwise one as work space
  std::vector<std::vector<double>> columns_;             ///< of the triangular matrix, each down to its diagonal
  std::vector<Rotation> rotations_;
  std::vector<double> right_;  ///< right-hand side of that matrix; the entry below it is the residual, up to its sign
};

}  // namespace halocline
