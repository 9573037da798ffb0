#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "framework/kernel/cg_steps.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

class Operator;

/// Coefficients of one step of the Chebyshev recurrence, see Operator::chebyshev_step.
struct ChebyshevCoefficients {
  double direction;  ///< weight of the previous direction
  double residual;   ///< weight of the (diagonally scaled) residual
};

/// What Operator::jacobi_step measured on its way.
struct JacobiSquares {
  double change;    ///< square of the 2-norm of x_new - x
  double residual;  ///< square of the 2-norm of b - A x (of the old x)
};

class Coarsening;

/// A level of a V-cycle: the vectors of A x = b there, which stay where they are, and the way down.
struct CycleLevel {
  Vector const* b;
  Vector* x;
  Coarsening const* coarsening;  ///< null on the coarsest level
};

/// V-cycles over a chain of small levels with one unknown on the coarsest, each cycle in one launch: what the legs of
/// each level make one after the other (Coarsening::relax_restrict and prolong_relax), with the same bits.
class ResidentCycle {
 public:
  ResidentCycle() = default;
  virtual ~ResidentCycle() = default;
  ResidentCycle(ResidentCycle const&) = delete;
  ResidentCycle& operator=(ResidentCycle const&) = delete;
  /// x of level `first`, counted from the finest of the chain: a cycle for A x = b from what it is, or from zero.
  virtual void enqueue(std::size_t first, bool from_zero) const = 0;
};

/// A coarser operator and the way to it and back, as geometric multigrid needs them.
class Coarsening {
 public:
  Coarsening() = default;
  virtual ~Coarsening() = default;
  Coarsening(Coarsening const&) = delete;
  Coarsening& operator=(Coarsening const&) = delete;
  [[nodiscard]] virtual Operator const& coarse() const = 0;
  /// coarse_b = R (b - A x): the residual is never stored where the operator can fuse it.
  virtual void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const = 0;
  /// coarse = R fine
  virtual void restrict_to(Vector const& fine, Vector& coarse) const = 0;
  /// x = x + P coarse_x. P is the transpose of R up to a factor, so a V-cycle stays symmetric.
  virtual void prolong_add(Vector const& coarse_x, Vector& x) const = 0;
  /// coarse = the right-hand side that the coarse problem has where the fine one has `fine`: of the same sources, and
  /// of the same values on walls. If not overridden: R fine, which is right where nothing is given on walls.
  virtual void restrict_right_hand_side(Vector const& fine, Vector& coarse) const { restrict_to(fine, coarse); }
  /// x = coarse_x interpolated as smoothly as can be, for full multigrid, which starts a level from the solution of the
  /// next coarser one; not the adjoint of R. If not overridden: P coarse_x.
  virtual void interpolate(Vector const& coarse_x, Vector& x) const;

  // The two legs of a V-cycle on one level, in one pass over memory each. Capabilities: where they return false,
  // nothing was touched, and the solver smooths and transfers step by step.

  /// The way down: x = what `sweeps` red-black Gauss-Seidel sweeps (red first) for A x = b make of x, or of zero if
  /// `from_zero` (x is then not read); then coarse_b = R (b - A x).
  [[nodiscard]] virtual bool relax_restrict(int /*sweeps*/, bool /*from_zero*/, Vector const& /*b*/, Vector& /*x*/,
                                            Vector& /*coarse_b*/) const {
    return false;
  }
  /// Whether the two legs only enqueue kernels, the same ones whenever they get the same vectors: then they may be
  /// captured and replayed.
  [[nodiscard]] virtual bool legs_only_enqueue() const { return false; }
  /// The way up: x = x + P coarse_x, then `sweeps` sweeps with black first: the adjoint of the way down. Where
  /// `product` is not null it receives b . x.
  [[nodiscard]] virtual bool prolong_relax(int /*sweeps*/, Vector const& /*coarse_x*/, Vector const& /*b*/,
                                           Vector& /*x*/, double* /*product*/) const {
    return false;
  }
  /// Whole cycles from the level of this coarsening, which is that of `levels.front()`, down to the last one, where
  /// x = inverse b. A capability, too: null where the levels are too large for one launch, or of several ranks.
  [[nodiscard]] virtual std::unique_ptr<ResidentCycle> resident_cycle(std::span<CycleLevel const> /*levels*/,
                                                                      int /*sweeps*/, Vector const& /*inverse*/) const {
    return nullptr;
  }
};

/// A linear map between vectors of one space. `apply` is required; every other method is a capability with a generic
/// fallback made of `apply` and vector operations, which an operator overrides where it can do the work in one pass
/// over memory. A matrix-free stencil, a CRS matrix and a user's class are the same to a solver.
class Operator {
 public:
  virtual ~Operator();
  Operator(Operator const&) = delete;
  Operator& operator=(Operator const&) = delete;

  /// A zero vector of the space this operator acts on.
  [[nodiscard]] virtual std::unique_ptr<Vector> create_vector() const = 0;
  /// y = A x
  virtual void apply(Vector const& x, Vector& y) const = 0;

  /// r = b - A x; returns the square of the 2-norm of r.
  virtual double residual(Vector const& b, Vector const& x, Vector& r) const;
  /// r = scale (b - A x) in single precision, computed in that of this operator; returns the square of the 2-norm of
  /// b - A x as r shows it. `r` is of the operator in single precision.
  virtual double rounded_residual(double scale, Vector const& b, Vector const& x, Vector& r) const;
  /// y = A x; returns x . y.
  virtual double apply_dot(Vector const& x, Vector& y) const;
  /// A step of conjugate gradients up to its first reduction, in as few passes as the operator can:
  /// x = x + alpha p (the update that the previous step still owed), p = z + beta p; returns p . A p. With alpha zero
  /// x, and with beta zero p, must still be finite. `work` is spare memory whose content cg_residual of the same step
  /// may need; the operator may exchange it with p.
  virtual double cg_step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                         std::unique_ptr<Vector>& work) const;
  /// The rest of the step: r = r - alpha A p; returns the square of the 2-norm of r.
  virtual double cg_residual(double alpha, Vector const& p, Vector const& work, Vector& r) const;
  /// Whether whole steps without a preconditioner can be enqueued ahead of what they measure, as follows.
  [[nodiscard]] virtual bool cg_runs_ahead() const { return false; }
  /// Takes `square` for r . r: the next step begins a sequence of directions, and x is owed nothing.
  virtual void start_cg(double square) const;
  /// Enqueues cg_step with z = r, then cg_residual, by an alpha and a beta that the operator has of the steps before.
  /// With a curvature that is not above zero x and r of all steps from there on stay what they are, or numbers no more.
  /// A step in one slot (0 or 1) may be started while the squares of the one in the other are still to be asked for.
  virtual void start_cg_step(int slot, Vector& x, std::unique_ptr<Vector>& p, std::unique_ptr<Vector>& work,
                             Vector& r) const;
  /// Waits for a step.
  [[nodiscard]] virtual CgSquares cg_squares(int slot) const;
  /// Takes whole steps without a preconditioner until one of them is to be looked at, x owed nothing before and after.
  /// What each has measured, until the next call; nothing if the operator does not take steps by itself. With a
  /// curvature that is not above zero the last one leaves x and r as they were.
  [[nodiscard]] virtual std::span<CgSquares const> take_cg_steps(CgBounds const& bounds, Vector& x, Vector& p,
                                                                 Vector& r) const;
  /// Writes the diagonal of A; false (and d untouched) when the operator does not know it.
  [[nodiscard]] virtual bool diagonal(Vector& d) const;
  /// x_new = x + weight D^-1 (b - A x), D the diagonal. Needs the diagonal: throws SolveError when the operator does
  /// not know it or an entry of it is zero. x and x_new are different vectors.
  JacobiSquares jacobi_step(double weight, Vector const& b, Vector const& x, Vector& x_new) const {
    start_jacobi_step(0, weight, b, x, x_new);
    return jacobi_squares(0);
  }
  /// The same in two halves: a step enqueued, and a wait for what it measured. A step in one slot (0 or 1) may be
  /// started while the squares of the step in the other one are still to be asked for.
  virtual void start_jacobi_step(int slot, double weight, Vector const& b, Vector const& x, Vector& x_new) const;
  [[nodiscard]] virtual JacobiSquares jacobi_squares(int slot) const;
  /// Whether a step that was started runs while the caller goes on: then it pays to start the next one ahead.
  [[nodiscard]] virtual bool steps_run_ahead() const { return false; }
  /// Chebyshev: d = coefficients.direction d + coefficients.residual D^-1 (b - A x); x_new = x + d. With
  /// coefficients.direction zero, d is not read. Needs the diagonal, as jacobi_step does. x and x_new are different.
  virtual void chebyshev_step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
                              Vector& x_new) const;
  /// Colours of the order in which Gauss-Seidel sweeps go through the unknowns, such that no two of one colour are
  /// coupled; 2 is red-black order. 0: the operator cannot sweep.
  [[nodiscard]] virtual int colours() const { return 0; }
  /// One Gauss-Seidel sweep in place, the first colour (red) first when `forward`, last otherwise: each is the adjoint
  /// of the other. Throws SolveError when the operator has no colours.
  virtual void gauss_seidel_sweep(bool forward, Vector const& b, Vector& x) const;
  /// The next coarser operator, or null when there is none or the operator cannot coarsen.
  [[nodiscard]] virtual std::unique_ptr<Coarsening> coarsen() const;
  /// The same operator on vectors of single precision, with entries rounded to it; null when the operator cannot or is
  /// of single precision already. Collective.
  [[nodiscard]] virtual std::unique_ptr<Operator> in_single_precision() const;
  /// Where constants are in the null space of A and of its transpose, by the way it is made: the measure of every
  /// unknown (its control volume), by which a mean of unknowns is one over the domain. Null where they are not, and
  /// where that is not known: entries alone do not tell a singular operator from one that is held by less than rounding
  /// shows.
  [[nodiscard]] virtual std::unique_ptr<Vector> null_space_measure() const { return nullptr; }
  /// An upper bound of the infinity norm of A: what rounding allows is measured with it. Estimated if not overridden.
  [[nodiscard]] virtual double norm_bound() const;

 protected:
  Operator();

 private:
  struct Scratch;
  /// Vectors that the fallbacks work with, made when first needed.
  [[nodiscard]] Scratch& scratch() const;
  double scaled_residual(Vector const& b, Vector const& x) const;
  mutable std::unique_ptr<Scratch> scratch_;
  mutable JacobiSquares squares_[2] = {};  ///< by slot
};

}  // namespace halocline
