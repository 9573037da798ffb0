#pragma once

#include <memory>
#include <string>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Another solver, run with the assembled matrix in place of the operator itself.
class AssembledSolver final : public LinearSolver {
 public:
  explicit AssembledSolver(std::unique_ptr<LinearSolver> solver);
  ~AssembledSolver() override;

  /// Assembles the matrix, with some twenty applications of the operator.
  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] Preconditioner* symmetric_preconditioner() const override {
    return matrix_ != nullptr ? solver_->symmetric_preconditioner() : nullptr;
  }
  [[nodiscard]] std::vector<std::string> fallbacks() const override { return solver_->fallbacks(); }
  void set_criteria(Criteria const& criteria) override { solver_->set_criteria(criteria); }
  [[nodiscard]] Criteria criteria() const override { return solver_->criteria(); }
  [[nodiscard]] double error_factor(double contrast) const override { return solver_->error_factor(contrast); }
  void serialize(StateArchive& state, std::string const& group) override { solver_->serialize(state, group); }

 private:
  std::unique_ptr<LinearSolver> solver_;
  std::unique_ptr<Operator> matrix_;  ///< null when the operator cannot be assembled
  std::string obstacle_;
  bool is_prepared_ = false;
};

}  // namespace halocline
