#pragma once

#include <memory>
#include <optional>

#include "framework/operator/operator.hpp"
#include "framework/plugin/physics.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// The one solve A x = b of a stationary physics by the deck's solver, which a restart may continue.
class StationarySolve {
 public:
  /// Collective. `a` must outlive it.
  StationarySolve(PhysicsContext const& context, Operator const& a);
  StationarySolve(StationarySolve const&) = delete;
  StationarySolve& operator=(StationarySolve const&) = delete;
  [[nodiscard]] SolveReport solve(Vector const& b, Vector& x) { return solver_->solve(a_, b, x); }
  /// Serializes the first residual: after a restart a tolerance relative to the residual of the initial guess still
  /// refers to that of the beginning of the run.
  void serialize(StateArchive& state);

 private:
  Operator const& a_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<double> first_residual_;
};

}  // namespace halocline
