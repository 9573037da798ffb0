#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/operator/operator.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

class CarriedState;

/// What a relative tolerance is relative to: a 2-norm.
enum class RelativeTo {
  initial_residual,
  /// A good initial guess need not be made as much better as a bad one. Where it is zero: the initial residual.
  right_hand_side
};

/// When an iteration may stop: norm of the residual <= target, or rounding, or the limit.
struct Criteria {
  double relative = 1e-10;
  double absolute = 0;
  Index iterations = 1000;
  RelativeTo relative_to = RelativeTo::initial_residual;

  [[nodiscard]] double target(double initial_residual, double right_hand_side) const {
    bool const of_source = relative_to == RelativeTo::right_hand_side && right_hand_side > 0;
    double const size = of_source ? right_hand_side : initial_residual;
    return std::max(relative * size, absolute);
  }
};

/// What a method needs of the operator for its answers to be right.
enum class OperatorNeed {
  nothing,
  symmetric,
  positive_definite  ///< and symmetric
};

class Preconditioner;

/// Solves A x = b from the initial guess in x. Made once from its deck section and used for many solves; `prepare` is
/// called whenever the operator has changed and does what is worth doing once (eigenvalue bounds, coarse levels).
class LinearSolver {
 public:
  LinearSolver() = default;
  virtual ~LinearSolver() = default;
  LinearSolver(LinearSolver const&) = delete;
  LinearSolver& operator=(LinearSolver const&) = delete;

  virtual void prepare(Operator const& a) = 0;
  /// `a` is the operator last given to `prepare`. Never throws for a solve that fails: the outcome says so.
  [[nodiscard]] virtual SolveReport solve(Operator const& a, Vector const& b, Vector& x) = 0;

  /// What has to be symmetric positive definite beside the operator, once prepared; null where nothing has.
  [[nodiscard]] virtual Preconditioner* symmetric_preconditioner() const { return nullptr; }

  /// What was asked for and could not be had of the operator last prepared, and what took its place: a sentence each.
  [[nodiscard]] virtual std::vector<std::string> fallbacks() const { return {}; }

  /// When solves end from now on; nothing happens where a method has no criteria.
  virtual void set_criteria(Criteria const&) {}
  [[nodiscard]] virtual Criteria criteria() const { return {}; }

  /// Tells what the solver keeps from one solve to the next, beside what `prepare` makes of the operator: nothing, if
  /// not overridden. Where it is set, the solver has been prepared. \param group that names begin with
  virtual void carry(CarriedState& /*state*/, std::string const& /*group*/) {}

  /// Who is told of each measured iteration; empty for nobody.
  void set_observer(IterationObserver observer) { observer_ = std::move(observer); }

 protected:
  [[nodiscard]] IterationObserver const& observer() const { return observer_; }

 private:
  IterationObserver observer_;
};

/// The operator lacks what a method is made from. Thrown on all ranks alike.
struct UnsuitableOperator : SolveError {
  using SolveError::SolveError;
};

/// z = M^-1 r for an M near A, which is symmetric positive definite unless the preconditioner says otherwise.
class Preconditioner {
 public:
  Preconditioner() = default;
  virtual ~Preconditioner() = default;
  Preconditioner(Preconditioner const&) = delete;
  Preconditioner& operator=(Preconditioner const&) = delete;

  /// Throws UnsuitableOperator when the operator lacks what the preconditioner is made from (a diagonal without zeros);
  /// the solver then ends its solves with `breakdown`.
  virtual void prepare(Operator const& a) = 0;
  /// z = M^-1 r. Both vectors stay alive until `prepare` is called again: what was done with them may be replayed.
  virtual void apply(Vector const& r, Vector& z) = 0;
  /// z = M^-1 r; returns z . r. For preconditioners that have the product in passing.
  [[nodiscard]] virtual double apply_dot(Vector const& r, Vector& z) { return apply(r, z), z.dot(r); }
  /// What was asked for and could not be had of the operator last prepared, and what took its place: a sentence each.
  [[nodiscard]] virtual std::vector<std::string> fallbacks() const { return {}; }
  /// As LinearSolver::carry.
  virtual void carry(CarriedState& /*state*/, std::string const& /*group*/) {}
  /// Whether `start` has a better first step for a solve than M^-1 r is: nearer to A^-1 r, at more work.
  [[nodiscard]] virtual bool has_start() const { return false; }
  /// z near A^-1 r; need not be symmetric.
  virtual void start(Vector const& r, Vector& z) { apply(r, z); }
  /// The same; returns z . r.
  [[nodiscard]] virtual double start_dot(Vector const& r, Vector& z) { return start(r, z), z.dot(r); }
};

}  // namespace halocline
