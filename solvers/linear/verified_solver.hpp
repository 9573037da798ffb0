#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/error_estimate.hpp"
#include "solvers/linear/null_space_solver.hpp"
#include "solvers/linear/operator_checks.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// What is asked of a solution's error.
struct ErrorDemand {
  double error = 1e-2;  ///< most of it, relative to the solution
  bool fails = false;   ///< whether a solve whose error is larger, or not known, has failed
};

/// Another solver, whose operator and solves are checked.
///
/// When the operator is given: where the method needs it, that A is symmetric (symmetry_defect) and that no Ritz value
/// of a few Lanczos steps is negative. An operator that fails is not solved with: its solves end at once with
/// `unsymmetric` or `indefinite` (or `not_a_number`), x as it was; so does one whose preconditioner has to be symmetric
/// positive definite and is not. A check that is passed proves nothing: an eigenvalue that few steps do not find may
/// still be negative.
///
/// After each solve: where it failed, whether there is a solution at all. For a symmetric A, a z with A z = 0 is looked
/// for: the constants, or what minimal residuals leave of b for A y = A b. If b has more of z than
/// the criteria and rounding allow, the outcome is `inconsistent`. A solution of a singular operator is remarked on, if
/// that is known. Where the solve did not fail, its error is estimated (ErrorEstimator) with as many as four times the
/// iterations of the solve, or a thousand. An estimate that is missing, not to be trusted or larger than was asked for
/// is complained of in the report, or makes its outcome `unverified`.
class VerifiedSolver final : public LinearSolver {
 public:
  /// \param name what reports call the method where it has not been run
  /// \param part what the solver does with a right-hand side's part in the null space
  VerifiedSolver(std::unique_ptr<LinearSolver> solver, std::string name, OperatorNeed need,
                 NullSpacePart part = NullSpacePart::keep, ErrorDemand const& demand = {});
  ~VerifiedSolver() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] std::vector<std::string> fallbacks() const override { return solver_->fallbacks(); }
  void set_criteria(Criteria const& criteria) override { solver_->set_criteria(criteria); }
  [[nodiscard]] Criteria criteria() const override { return solver_->criteria(); }
  void carry(CarriedState& state, std::string const& group) override { solver_->carry(state, group); }

 private:
  /// Why no solve can be right.
  struct Obstacle {
    Outcome outcome;
    std::string remark;
  };

  [[nodiscard]] std::optional<Obstacle> check(Operator const& a);
  [[nodiscard]] std::optional<Obstacle> check_preconditioner();
  [[nodiscard]] SolveReport refuse(Operator const& a, Vector const& b, Vector const& x);
  void judge(Operator const& a, Vector const& b, Vector const& x, SolveReport& report);
  [[nodiscard]] bool has_no_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport const& report);
  [[nodiscard]] bool has_null_part(Operator const& a, Vector const& b, double limit, Index left);
  [[nodiscard]] double rounding_at(Vector const& b, Vector const& x, SolveReport const& report);
  void judge_error(Operator const& a, Vector const& b, Vector const& x, SolveReport& report);

  std::unique_ptr<LinearSolver> solver_;
  std::string name_;
  OperatorNeed need_;
  NullSpacePart part_;
  ErrorDemand demand_;
  ErrorEstimator estimator_;
  std::optional<Obstacle> obstacle_;
  Verification found_;  ///< of the operator
  double operator_norm_ = 0;
  bool singular_ = false;
  std::optional<NullConstants> constants_;
  double constant_ = 0;                    ///< mean of the initial guess
  std::unique_ptr<Vector> r_, e_, spare_;  ///< b - A x, the error
};

}  // namespace halocline
