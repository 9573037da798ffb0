#pragma once

#include <memory>

#include "solvers/linear/single_reduction_cg.hpp"

namespace halocline {

/// Pipelined conjugate gradients (Ghysels and Vanroose, 2014, Parallel Computing 40, algorithm 4; algorithm 3 without a
/// preconditioner): u = M^-1 r and w = A u come by recurrences, too, so that the reduction goes on while M^-1 and A are
/// applied for the next iteration. That is two vectors more, four with a preconditioner, and as many more updates.
///
/// The rounding errors of the further recurrences grow, and the residual would cease to fall long before rounding
/// explains it. So every 50 iterations all but r, p and x are made anew from these three: three products with A and two
/// with M^-1 more, no reduction. r itself is replaced where it has left b - A x, as by any method (ResidualSolve): to
/// do it earlier would bring the rounding of b - A x into a residual that is smaller.
class PipelinedCg final : public SingleReductionCg {
 public:
  explicit PipelinedCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  void make_vectors(Operator const& a) override;
  void resume(Operator const& a) override;
  [[nodiscard]] Products find_products(ResidualSolve const& solve, Operator const& a, Vector const& x) override;
  /// A start may end little below where it began: rounding errors are those of the largest residual on the way.
  [[nodiscard]] int fruitless_starts() const override { return 3; }
  void step(double alpha, double beta, Vector& x) override;

  std::unique_ptr<Vector> n_, z_;  ///< A m, A q
  std::unique_ptr<Vector> m_, q_;  ///< M^-1 w, M^-1 s; without a preconditioner these are w and s
  Index age_ = 0;                  ///< of the recurrences, in iterations
};

}  // namespace halocline
