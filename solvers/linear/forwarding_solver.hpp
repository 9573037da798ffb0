#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Base of a solver that adds something to another one: all but `prepare` and `solve` is passed on to that.
class ForwardingSolver : public LinearSolver {
 public:
  [[nodiscard]] Preconditioner* symmetric_preconditioner() const override {
    return solver_->symmetric_preconditioner();
  }
  [[nodiscard]] std::vector<std::string> fallbacks() const final { return solver_->fallbacks(); }
  void set_criteria(Criteria const& criteria) final { solver_->set_criteria(criteria); }
  [[nodiscard]] Criteria criteria() const final { return solver_->criteria(); }
  [[nodiscard]] double error_factor(double contrast) const final { return solver_->error_factor(contrast); }
  void serialize(StateArchive& state, std::string const& group) final { solver_->serialize(state, group); }

  [[nodiscard]] LinearSolver const& inner() const { return *solver_; }

 protected:
  explicit ForwardingSolver(std::unique_ptr<LinearSolver> solver) : solver_(std::move(solver)) {}
  [[nodiscard]] LinearSolver& inner() { return *solver_; }

 private:
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace halocline
