#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/error_estimate.hpp"
#include "solvers/linear/forwarding_solver.hpp"
#include "solvers/linear/null_space_solver.hpp"
#include "solvers/linear/operator_checks.hpp"

namespace halocline {

/// Required accuracy of a solution.
struct ErrorDemand {
  double error = 1e-2;  ///< largest error, relative to the solution
  bool fails = false;   ///< whether a solve fails if its error is larger or unknown
};

/// Another solver, with checks of its operator and of its solves.
///
/// When the operator is given: if the method needs it, checks that A is symmetric (symmetry_defect) and that no Ritz
/// value of a few Lanczos steps is negative. Solves with an operator that fails end at once with `unsymmetric` or
/// `indefinite` (or `not_a_number`), x unchanged; so do solves with a preconditioner that must be symmetric positive
/// definite and is not. Passing a check proves nothing: an eigenvalue that few steps do not find may still be negative.
///
/// After a solve that did not meet the criteria: checks whether there is a solution at all. For a symmetric A, looks
/// for a z with A z = 0: the constants, or b - y with y from A y = A b by minimal residuals. If the part of b along z
/// exceeds what the criteria and rounding allow, the outcome is `inconsistent`. After a solve that found a solution: if
/// A is known to be singular, the remark says so; the error is estimated (ErrorEstimator) with at most four times the
/// iterations of the solve, or a thousand. If the estimate is missing, unreliable or larger than required, the report
/// complains, or the outcome becomes `unverified`.
class VerifiedSolver final : public ForwardingSolver {
 public:
  /// \param name of the method in reports, if it has not been run
  /// \param part what the solver does with a right-hand side's part in the null space
  VerifiedSolver(std::unique_ptr<LinearSolver> solver, std::string name, OperatorNeed need,
                 NullSpacePart part = NullSpacePart::keep, ErrorDemand const& demand = {});
  ~VerifiedSolver() override;

  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

 private:
  /// Why no solve can be correct.
  struct Obstacle {
    Outcome outcome;
    std::string remark;
  };

  [[nodiscard]] std::optional<Obstacle> check(Operator const& a);
  [[nodiscard]] std::optional<Obstacle> check_preconditioner();
  [[nodiscard]] SolveReport refuse(Operator const& a, Vector const& b, Vector const& x);
  void check_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport& report);
  [[nodiscard]] bool has_no_solution(Operator const& a, Vector const& b, Vector const& x, SolveReport const& report);
  [[nodiscard]] bool has_null_part(Operator const& a, Vector const& b, double limit, Index left);
  [[nodiscard]] double rounding_at(Vector const& b, Vector const& x, SolveReport const& report);
  void check_error(Operator const& a, Vector const& b, Vector const& x, SolveReport& report);

  std::string name_;
  OperatorNeed need_;
  NullSpacePart part_;
  ErrorDemand demand_;
  ErrorEstimator estimator_;
  std::optional<Obstacle> obstacle_;
  Verification found_;  ///< for the operator
  double operator_norm_ = 0;
  bool singular_ = false;
  std::optional<NullConstants> constants_;
  double constant_ = 0;                    ///< mean of the initial guess
  std::unique_ptr<Vector> r_, e_, spare_;  ///< b - A x, the error
};

}  // namespace halocline
