#include "solvers/linear/assembled_solver.hpp"

#include <cmath>
#include <utility>

#include "framework/operator/assemble.hpp"
#include "solvers/linear/solve_record.hpp"

namespace halocline {

AssembledSolver::AssembledSolver(std::unique_ptr<LinearSolver> solver) : ForwardingSolver(std::move(solver)) {}
AssembledSolver::~AssembledSolver() = default;

void AssembledSolver::prepare(Operator const& a) {
  is_prepared_ = true;
  obstacle_.clear();
  matrix_.reset();
  try {
    matrix_ = assemble(a);
  } catch (SolveError const& error) {
    obstacle_ = error.what();
    return;
  }
  inner().prepare(*matrix_);
}

SolveReport AssembledSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  require_prepared(is_prepared_);
  if (!matrix_) {
    SolveRecord record("assembled", observer());
    auto const r = a.create_vector();
    return record.finish(Outcome::breakdown, std::sqrt(a.residual(b, x, *r)), obstacle_);
  }
  inner().set_observer(observer());
  SolveReport report = inner().solve(*matrix_, b, x);
  report.method = "assembled " + report.method;
  return report;
}

}  // namespace halocline
