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

class StateArchive;

/// Reference of a relative tolerance: a 2-norm.
enum class RelativeTo {
  initial_residual,
  /// A good initial guess then needs fewer iterations. If the right-hand side is zero: the initial residual.
  right_hand_side
};

/// When an iteration may stop: norm of the residual <= target, or the rounding level, or the limit.
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

/// Property of the operator that a method needs for correct results.
enum class OperatorNeed {
  nothing,
  symmetric,
  positive_definite  ///< and symmetric
};

class Preconditioner;

/// Solves A x = b from the initial guess in x. Made once from its deck section and used for many solves. `prepare` is
/// called whenever the operator has changed, for work that is done once (eigenvalue bounds, coarse levels).
class LinearSolver {
 public:
  LinearSolver() = default;
  virtual ~LinearSolver() = default;
  LinearSolver(LinearSolver const&) = delete;
  LinearSolver& operator=(LinearSolver const&) = delete;

  virtual void prepare(Operator const& a) = 0;
  /// `a` is the operator last given to `prepare`. Never throws for a failed solve: the outcome reports it. Throws
  /// DefectError if `prepare` has not been called.
  [[nodiscard]] virtual SolveReport solve(Operator const& a, Vector const& b, Vector& x) = 0;

  /// The preconditioner that must be symmetric positive definite, valid once prepared; null if there is none.
  [[nodiscard]] virtual Preconditioner* symmetric_preconditioner() const { return nullptr; }

  /// A sentence for each feature that the operator last prepared does not provide, with its replacement.
  [[nodiscard]] virtual std::vector<std::string> fallbacks() const { return {}; }

  /// Sets the criteria of later solves; no effect for a method without criteria.
  virtual void set_criteria(Criteria const&) {}
  [[nodiscard]] virtual Criteria criteria() const { return {}; }
  /// The most by which relative errors may exceed the relative tolerance because the entries of the operator's diagonal
  /// differ by a factor of `contrast`. For criteria on the 2-norm of the residual that is the contrast itself:
  /// residuals of rows with large entries hide those of all others.
  [[nodiscard]] virtual double error_factor(double contrast) const { return contrast; }

  /// Lists the state that the solver keeps between solves, besides what `prepare` computes: nothing, if not overridden.
  /// When state is set, the solver has been prepared. \param group prefix of the names
  virtual void serialize(StateArchive& /*state*/, std::string const& /*group*/) {}

  /// Sets the observer of iterations; empty for none.
  void set_observer(IterationObserver observer) { observer_ = std::move(observer); }

 protected:
  [[nodiscard]] IterationObserver const& observer() const { return observer_; }
  /// For the start of `solve`. Throws DefectError unless the solver is prepared.
  static void require_prepared(bool is_prepared) {
    if (!is_prepared) throw DefectError("a linear solver was to solve before it was prepared: call prepare(a) first");
  }

 private:
  IterationObserver observer_;
};

/// The operator lacks what a method needs. Thrown on all ranks alike.
struct UnsuitableOperator : SolveError {
  using SolveError::SolveError;
};

/// z = M^-1 r for an M close to A; symmetric positive definite unless the preconditioner documents otherwise.
class Preconditioner {
 public:
  Preconditioner() = default;
  virtual ~Preconditioner() = default;
  Preconditioner(Preconditioner const&) = delete;
  Preconditioner& operator=(Preconditioner const&) = delete;

  /// Throws UnsuitableOperator if the operator lacks what the preconditioner needs (a diagonal without zeros); the
  /// solver then ends its solves with `breakdown`.
  virtual void prepare(Operator const& a) = 0;
  /// z = M^-1 r. Both vectors must stay alive until the next `prepare`: operations on them may be replayed.
  virtual void apply(Vector const& r, Vector& z) = 0;
  /// z = M^-1 r; returns z . r. For preconditioners that compute the product at no extra cost.
  [[nodiscard]] virtual double apply_dot(Vector const& r, Vector& z) { return apply(r, z), z.dot(r); }
  /// The entries of M^-1 if that is a diagonal matrix, which methods may apply within their own passes; otherwise null.
  [[nodiscard]] virtual Vector const* scaling() const { return nullptr; }
  /// A sentence for each feature that the operator last prepared does not provide, with its replacement.
  [[nodiscard]] virtual std::vector<std::string> fallbacks() const { return {}; }
  /// Like LinearSolver::serialize.
  virtual void serialize(StateArchive& /*state*/, std::string const& /*group*/) {}
  /// Whether `start` gives a better first step of a solve than M^-1 r: closer to A^-1 r, with more work.
  [[nodiscard]] virtual bool has_start() const { return false; }
  /// Sets z close to A^-1 r; this need not be symmetric.
  virtual void start(Vector const& r, Vector& z) { apply(r, z); }
  /// The same; returns z . r.
  [[nodiscard]] virtual double start_dot(Vector const& r, Vector& z) { return start(r, z), z.dot(r); }
};

}  // namespace halocline
