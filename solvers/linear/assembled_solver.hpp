#pragma once

#include <memory>
#include <string>

#include "solvers/linear/forwarding_solver.hpp"

namespace halocline {

/// Another solver, run with the assembled matrix in place of the operator itself.
class AssembledSolver final : public ForwardingSolver {
 public:
  explicit AssembledSolver(std::unique_ptr<LinearSolver> solver);
  ~AssembledSolver() override;

  /// Assembles the matrix, with some twenty applications of the operator.
  void prepare(Operator const& a) override;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) override;

  [[nodiscard]] Preconditioner* symmetric_preconditioner() const override {
    return matrix_ != nullptr ? inner().symmetric_preconditioner() : nullptr;
  }

 private:
  std::unique_ptr<Operator> matrix_;  ///< null when the operator cannot be assembled
  std::string obstacle_;
  bool is_prepared_ = false;
};

}  // namespace halocline
