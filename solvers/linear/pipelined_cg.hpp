#pragma once

#include <memory>

#include "solvers/linear/single_reduction_cg.hpp"

namespace halocline {

/// Pipelined conjugate gradients (Ghysels and Vanroose, 2014, Parallel Computing 40, algorithm 4; algorithm 3 without a
/// preconditioner): u = M^-1 r and w = A u also come from recurrences, so that the reduction overlaps with applying
/// M^-1 and A for the next iteration. That costs two more vectors, four with a preconditioner, and as many updates.
///
/// The rounding errors of the additional recurrences grow, and the residual would stop falling far above the rounding
/// level. So every 50 iterations all vectors but r, p and x are recomputed from these three: three more products with A
/// and two with M^-1, without a reduction. r itself is replaced when it has drifted from b - A x, as in any method
/// (ResidualSolve): an earlier replacement would add the rounding error of b - A x to a residual that is smaller.
class PipelinedCg final : public SingleReductionCg {
 public:
  explicit PipelinedCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner = nullptr);

 private:
  void make_vectors(Operator const& a) override;
  void resume(Operator const& a) override;
  [[nodiscard]] Products find_products(ResidualSolve const& solve, Operator const& a, Vector const& x) override;
  /// A start may reduce the residual only a little: rounding errors are those of the largest residual in between.
  [[nodiscard]] int max_restarts_without_progress() const override { return 3; }
  void step(double alpha, double beta, Vector& x) override;

  std::unique_ptr<Vector> n_, z_;  ///< A m, A q
  std::unique_ptr<Vector> m_, q_;  ///< M^-1 w, M^-1 s; w and s without a preconditioner
  Index age_ = 0;                  ///< of the recurrences, in iterations
};

}  // namespace halocline
