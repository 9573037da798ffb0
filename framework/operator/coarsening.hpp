#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "framework/operator/operator.hpp"

namespace halocline {

/// A level of a V-cycle: the vectors of A x = b there, whose addresses must not change, and the transfer to the next.
struct CycleLevel {
  Vector const* b;
  Vector* x;
  Coarsening const* coarsening;  ///< null on the coarsest level
};

/// V-cycles over a chain of small levels with one unknown on the coarsest, each cycle in one launch. Results have the
/// same bits as those of the passes on each level (CyclePasses).
class ResidentCycle {
 public:
  ResidentCycle() = default;
  virtual ~ResidentCycle() = default;
  ResidentCycle(ResidentCycle const&) = delete;
  ResidentCycle& operator=(ResidentCycle const&) = delete;
  /// Enqueues a cycle for A x = b of level `first` (0: finest of the chain), from the current x or from zero.
  virtual void enqueue(std::size_t first, bool from_zero) const = 0;
};

/// The down- and the up-sweep of a V-cycle on one level, in one pass over memory each.
class CyclePasses {
 public:
  virtual ~CyclePasses() = default;
  /// Down: applies `relaxations` relaxations of A x = b (red first) to x, or to zero if `from_zero` (x is then not
  /// read); then coarse_b = R (b - A x).
  virtual void relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x, Vector& coarse_b) const = 0;
  /// Up: x = x + P coarse_x, then the same number of relaxations with black first: the adjoint of the down-sweep.
  virtual void prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b, Vector& x) const = 0;
  /// Whether both only enqueue kernels, and the same ones for the same vectors, so that they can be captured and
  /// replayed.
  [[nodiscard]] virtual bool only_enqueue() const { return false; }
  /// Whole cycles from this level, `levels.front()`, down to the last one, where x = inverse b. Null if the levels are
  /// too large for one launch or span several ranks.
  [[nodiscard]] virtual std::unique_ptr<ResidentCycle> resident_cycle(std::span<CycleLevel const> /*levels*/,
                                                                      int /*relaxations*/,
                                                                      Vector const& /*inverse*/) const {
    return nullptr;
  }
};

/// Transfers that full multigrid needs beyond those of a cycle.
class FullMultigridTransfers {
 public:
  virtual ~FullMultigridTransfers() = default;
  /// coarse = the right-hand side of the coarse problem with the same sources and the same wall values as the fine
  /// problem with right-hand side `fine`.
  virtual void restrict_right_hand_side(Vector const& fine, Vector& coarse) const = 0;
  /// x = coarse_x by a high-order interpolation, for a level that starts from the solution of the next coarser one; not
  /// the adjoint of R.
  virtual void interpolate(Vector const& coarse_x, Vector& x) const = 0;
};

/// How the next level relates to a level.
enum class LevelKind {
  coarser,  ///< fewer unknowns: errors that are smooth here are rough there
  moved     ///< the same operator on other ranks (agglomeration): smoothing on both levels would be redundant
};

/// A coarser operator with restriction and prolongation, as geometric multigrid needs them.
class Coarsening {
 public:
  explicit Coarsening(LevelKind kind = LevelKind::coarser) : kind_(kind) {}
  virtual ~Coarsening() = default;
  Coarsening(Coarsening const&) = delete;
  Coarsening& operator=(Coarsening const&) = delete;
  [[nodiscard]] LevelKind kind() const { return kind_; }
  [[nodiscard]] virtual Operator const& coarse() const = 0;
  /// coarse_b = R (b - A x); the residual is not stored if the operator can fuse it.
  virtual void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const = 0;
  /// coarse = R fine
  virtual void restrict_to(Vector const& fine, Vector& coarse) const = 0;
  /// x = x + P coarse_x. P is the transpose of R up to a factor, so a V-cycle stays symmetric.
  virtual void prolong_add(Vector const& coarse_x, Vector& x) const = 0;

  // Capabilities. Null: none, and the solver works without.

  [[nodiscard]] virtual FullMultigridTransfers const* full_multigrid() const { return nullptr; }
  [[nodiscard]] virtual CyclePasses const* passes() const { return nullptr; }

 private:
  LevelKind kind_;
};

}  // namespace halocline
