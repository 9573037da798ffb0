#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "solvers/linear/residual_solve.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Shared by methods that monitor the residual of their own recurrence: the preconditioner, and restarts from b - A x
/// until that meets the criteria.
///
/// The report of a solve with an operator that has the constants in its null space says so. If that operator declares
/// it (Operator::null_space_measure) and a right-hand side with a non-zero mean has made the solve fail, the outcome is
/// `inconsistent`. NullSpaceSolver avoids such solves.
class KrylovSolver : public LinearSolver {
 public:
  /// \param name of the method in reports
  /// \param preconditioner null: none
  KrylovSolver(std::string name, Criteria criteria, std::unique_ptr<Preconditioner> preconditioner);
  ~KrylovSolver() override;

  void prepare(Operator const& a) final;
  [[nodiscard]] SolveReport solve(Operator const& a, Vector const& b, Vector& x) final;

  [[nodiscard]] Preconditioner* symmetric_preconditioner() const final {
    return needs_symmetry() && obstacle_.empty() ? preconditioner_.get() : nullptr;
  }
  [[nodiscard]] std::vector<std::string> fallbacks() const final {
    return preconditioner_ ? preconditioner_->fallbacks() : std::vector<std::string>{};
  }
  void set_criteria(Criteria const& criteria) final { criteria_ = criteria; }
  [[nodiscard]] Criteria criteria() const final { return criteria_; }
  void serialize(StateArchive& state, std::string const& group) override {
    if (preconditioner_) preconditioner_->serialize(state, group + "/preconditioner");
  }

 protected:
  /// Makes the method's working vectors, of the space of `a`. Throws UnsuitableOperator for an operator that the method
  /// cannot work with; solves report it.
  virtual void make_vectors(Operator const& a) = 0;
  /// The vector that holds b - A x before each start. A failed solve may overwrite it at its end.
  [[nodiscard]] virtual Vector& residual() const = 0;
  /// Another working vector that a failed solve may overwrite at its end; null: it makes one.
  [[nodiscard]] virtual Vector* spare() const { return nullptr; }
  /// Iterates from there as long as `solve` goes on; x is up to date on return. Returns the outcome of a failed solve;
  /// none: a true-residual check is due.
  [[nodiscard]] virtual std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) = 0;

  /// Whether operator and preconditioner have to be symmetric.
  [[nodiscard]] virtual bool needs_symmetry() const { return false; }

  /// How many restarts in a row may make no progress before the solve has stalled: more than one if restarts differ
  /// from each other.
  [[nodiscard]] virtual int max_restarts_without_progress() const { return 1; }

  /// Whether the method guarantees that some norm of the residual or the error falls in every start, so that one
  /// without gain is a stall.
  [[nodiscard]] virtual bool falls() const { return true; }

  /// Norm of a residual or right-hand side for the criteria. Empty: the 2-norm.
  [[nodiscard]] virtual std::function<double(Vector const&)> norm() { return {}; }

  /// Called when all iterations of a solve are over.
  virtual void finish(Outcome /*outcome*/) {}

  /// Advice if the limit of iterations ends a solve.
  [[nodiscard]] virtual char const* advice() const {
    return needs_symmetry()
               ? "raise the number of iterations, choose a stronger preconditioner, or let `verify: true` of "
                 "the solver check whether the operator suits the method"
               : "raise the number of iterations or choose a stronger preconditioner";
  }

  [[nodiscard]] bool has_preconditioner() const { return preconditioner_ != nullptr; }
  /// M^-1 r in z; r itself without a preconditioner.
  [[nodiscard]] Vector const& preconditioned(Vector const& r, std::unique_ptr<Vector> const& z) const;
  /// z = M^-1 r; returns r . z. Without a preconditioner returns r . r, and z is not used.
  [[nodiscard]] double precondition_dot(Vector const& r, std::unique_ptr<Vector> const& z) const;
  /// Preconditioner::scaling; null without a preconditioner.
  [[nodiscard]] Vector const* scaling() const { return preconditioner_ ? preconditioner_->scaling() : nullptr; }
  [[nodiscard]] bool has_start() const { return preconditioner_ != nullptr && preconditioner_->has_start(); }
  /// The same with Preconditioner::start.
  [[nodiscard]] double start_dot(Vector const& r, std::unique_ptr<Vector> const& z) const;

 private:
  /// Adds to the report of a failed solve that there is no solution, if that is so.
  void explain(Operator const& a, Vector const& b, SolveReport& report) const;

  std::string name_;
  Criteria criteria_;
  std::unique_ptr<Preconditioner> preconditioner_;
  double operator_norm_ = 0;
  bool is_prepared_ = false;
  bool is_singular_ = false;  ///< the operator declares a null space
  std::string obstacle_;      ///< why the method or its preconditioner could not be prepared; empty if it could
};

}  // namespace halocline
