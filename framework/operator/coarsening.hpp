#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "framework/operator/operator.hpp"

namespace halocline {

/// A level of a V-cycle: the vectors of A x = b there, which stay where they are, and the way down.
struct CycleLevel {
  Vector const* b;
  Vector* x;
  Coarsening const* coarsening;  ///< null on the coarsest level
};

/// V-cycles over a chain of small levels with one unknown on the coarsest, each cycle in one launch, with the bits that
/// the passes of each level (CyclePasses) leave.
class ResidentCycle {
 public:
  ResidentCycle() = default;
  virtual ~ResidentCycle() = default;
  ResidentCycle(ResidentCycle const&) = delete;
  ResidentCycle& operator=(ResidentCycle const&) = delete;
  /// x of level `first`, counted from the finest of the chain: a cycle for A x = b from what it is, or from zero.
  virtual void enqueue(std::size_t first, bool from_zero) const = 0;
};

/// The down- and the up-sweep of a V-cycle on one level, in one pass over memory each.
class CyclePasses {
 public:
  virtual ~CyclePasses() = default;
  /// Down: x = what `relaxations` of A x = b (red first) make of x, or of zero if `from_zero` (x is then not read);
  /// then coarse_b = R (b - A x).
  virtual void relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x, Vector& coarse_b) const = 0;
  /// Up: x = x + P coarse_x, then as many relaxations with black first: the adjoint of the way down.
  virtual void prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b, Vector& x) const = 0;
  /// Whether both only enqueue kernels, the same ones whenever they get the same vectors: then they may be captured and
  /// replayed.
  [[nodiscard]] virtual bool only_enqueue() const { return false; }
  /// Whole cycles from this level, which is that of `levels.front()`, down to the last one, where x = inverse b. Null
  /// where the levels are too large for one launch, or of several ranks.
  [[nodiscard]] virtual std::unique_ptr<ResidentCycle> resident_cycle(std::span<CycleLevel const> /*levels*/,
                                                                      int /*relaxations*/,
                                                                      Vector const& /*inverse*/) const {
    return nullptr;
  }
};

/// What full multigrid asks for beyond a cycle's transfers.
class FullMultigridTransfers {
 public:
  virtual ~FullMultigridTransfers() = default;
  /// coarse = the right-hand side that the coarse problem has where the fine one has `fine`: of the same sources, and
  /// of the same values on walls.
  virtual void restrict_right_hand_side(Vector const& fine, Vector& coarse) const = 0;
  /// x = coarse_x interpolated as smoothly as can be, for a level that starts from the solution of the next coarser
  /// one; not the adjoint of R.
  virtual void interpolate(Vector const& coarse_x, Vector& x) const = 0;
};

/// What the next level is to a level.
enum class LevelKind {
  coarser,  ///< fewer unknowns: what is smooth here is rough there
  moved     ///< the same operator on other ranks (agglomeration): smoothing here too would be work done twice
};

/// A coarser operator and the way to it and back, as geometric multigrid needs them.
class Coarsening {
 public:
  explicit Coarsening(LevelKind kind = LevelKind::coarser) : kind_(kind) {}
  virtual ~Coarsening() = default;
  Coarsening(Coarsening const&) = delete;
  Coarsening& operator=(Coarsening const&) = delete;
  [[nodiscard]] LevelKind kind() const { return kind_; }
  [[nodiscard]] virtual Operator const& coarse() const = 0;
  /// coarse_b = R (b - A x): the residual is never stored where the operator can fuse it.
  virtual void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const = 0;
  /// coarse = R fine
  virtual void restrict_to(Vector const& fine, Vector& coarse) const = 0;
  /// x = x + P coarse_x. P is the transpose of R up to a factor, so a V-cycle stays symmetric.
  virtual void prolong_add(Vector const& coarse_x, Vector& x) const = 0;

  // Capabilities. Null: none, and the solver does without.

  [[nodiscard]] virtual FullMultigridTransfers const* full_multigrid() const { return nullptr; }
  [[nodiscard]] virtual CyclePasses const* passes() const { return nullptr; }

 private:
  LevelKind kind_;
};

}  // namespace halocline
