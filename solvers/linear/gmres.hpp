#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// How a new vector of a basis is made orthogonal to the others.
enum class Orthogonalisation {
  classical_twice,  ///< against all at once, and once more against what rounding left: two sums over the ranks
  modified          ///< against one after the other: as many sums as vectors
};

/// Generalised minimal residuals with restarts, for any operator (Saad and Schultz 1986; Saad, Iterative Methods for
/// Sparse Linear Systems, algorithms 6.9, 9.5 and, flexible, 9.6). Preconditioned from the right, so that the residual
/// is that of A x = b itself; it never grows.
class Gmres final : public LinearSolver {
 public:
  struct Settings {
    Criteria criteria;
    Index restart = 30;     ///< vectors of the basis, after which x is formed and the basis dropped
    bool flexible = false;  ///< the preconditioner may be another one in every iteration: one more vector for each
    Orthogonalisation orthogonalisation = Orthogonalisation::classical_twice;
  };
  /// A null preconditioner means none.
  explicit Gmres(Settings settings, std::unique_ptr<Preconditioner> preconditioner = nullptr);
  ~Gmres() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  friend class GmresIteration;
  Settings settings_;
  std::unique_ptr<Preconditioner> preconditioner_;
  std::vector<std::unique_ptr<Vector>> basis_;           ///< restart + 1; the first holds b - A x between cycles
  std::vector<std::unique_ptr<Vector>> preconditioned_;  ///< by basis vector if flexible, else one to work on
  double operator_norm_ = 0;
  std::string obstacle_;  ///< why the preconditioner could not be made; empty if it could
};

}  // namespace halocline
