#pragma once

#include <memory>
#include <string>

#include "solvers/linear/forwarding_solver.hpp"

namespace halocline {

/// Another solver, with a caution in the report of a solve whose criteria say little about its error.
///
/// Rows of the operator with a large diagonal make up almost all of a residual. Errors elsewhere hide behind them: the
/// residual of the initial guess is as large as such a row, and one that is smaller by the relative tolerance (or by
/// what rounding allows) still permits relative errors of up to the tolerance times the ratio of the largest to the
/// smallest diagonal entry. The caution is given where that product exceeds 0.01. The ratio is found once for each
/// operator, in two passes over its diagonal; operators that do not know their diagonal get no caution.
class ContrastSolver final : public ForwardingSolver {
 public:
  explicit ContrastSolver(std::unique_ptr<LinearSolver> solver) : ForwardingSolver(std::move(solver)) {}

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  [[nodiscard]] std::string caution(SolveReport const& report, Precision precision) const;

  double contrast_ = 1;  ///< of the operator's diagonal
};

}  // namespace halocline
