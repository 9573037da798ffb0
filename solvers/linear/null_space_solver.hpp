#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/forwarding_solver.hpp"
#include "solvers/linear/operator_checks.hpp"

namespace halocline {

/// What to do with the part of a right-hand side in the null space of the operator.
enum class NullSpacePart {
  keep,    ///< the solve ends as `inconsistent`
  project  ///< it is subtracted
};

/// Another solver, for operators that may have the constants in their null space: where nothing determines the level of
/// the unknown, between insulated or periodic walls, any constant can be added to a solution.
///
/// The operator declares it (Operator::null_space_measure). Only sources with zero mean have a solution. A source whose
/// mean exceeds what the criteria and rounding allow is either not solved for (outcome `inconsistent`, x unchanged), or
/// its mean is subtracted and the remark gives its size. The solution is the one with the mean of the initial guess.
/// Means are over the domain. Solves with other operators are passed on unchanged.
class NullSpaceSolver final : public ForwardingSolver {
 public:
  NullSpaceSolver(std::unique_ptr<LinearSolver> solver, std::string name, NullSpacePart part);
  ~NullSpaceSolver() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  [[nodiscard]] SolveReport solve_in_image(Operator const& a, Vector const& b, Vector& x);

  std::string name_;
  NullSpacePart part_;
  double operator_norm_ = 0;
  std::optional<NullConstants> constants_;
  std::unique_ptr<Vector> source_;  ///< b without its mean; before that, the residual
};

}  // namespace halocline
