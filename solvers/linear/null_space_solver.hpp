#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// What happens to a right-hand side that has a part in the null space of the operator.
enum class NullSpacePart {
  keep,    ///< the solve ends as `inconsistent`
  project  ///< the part is taken off
};

/// Another solver, for operators that may have the constants in their null space: where nothing fixes the unknown,
/// behind insulated or periodic walls, any constant could be added to a solution.
///
/// The operator says so (Operator::null_space_measure). There is a solution only for sources without a mean. One whose
/// mean is more than the criteria and rounding allow is not solved for: the outcome is `inconsistent`, x as it was; or
/// its mean is taken off, and the remark says how much. The solution is the one with the mean of the initial guess.
/// Means are those over the domain. Other operators are left to the solver.
class NullSpaceSolver final : public LinearSolver {
 public:
  NullSpaceSolver(std::unique_ptr<LinearSolver> solver, std::string name, NullSpacePart part);
  ~NullSpaceSolver() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] Preconditioner* symmetric_preconditioner() const override {
    return solver_->symmetric_preconditioner();
  }
  [[nodiscard]] std::vector<std::string> fallbacks() const override { return solver_->fallbacks(); }
  void set_criteria(Criteria const& criteria) override { solver_->set_criteria(criteria); }
  [[nodiscard]] Criteria criteria() const override { return solver_->criteria(); }
  void carry(CarriedState& state, std::string const& group) override { solver_->carry(state, group); }

  [[nodiscard]] LinearSolver const& method() const { return *solver_; }

 private:
  [[nodiscard]] SolveReport solve_in_image(Operator const& a, Vector const& b, Vector& x);

  std::unique_ptr<LinearSolver> solver_;
  std::string name_;
  NullSpacePart part_;
  double operator_norm_ = 0;
  std::optional<NullConstants> constants_;
  std::unique_ptr<Vector> source_;  ///< b without its mean; the residual before that is known
};

}  // namespace halocline
