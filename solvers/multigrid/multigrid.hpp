#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/operator/coarsening.hpp"
#include "framework/operator/replayed_work.hpp"
#include "solvers/linear/krylov_solver.hpp"
#include "solvers/multigrid/smoother.hpp"

namespace halocline {

/// How the coarsest level is solved.
enum class BottomSolver {
  smoother,            ///< relaxations with the smoother; exact if the operator coarsens to a single unknown
  conjugate_gradients  ///< to a fixed tolerance, far below the reduction of a cycle
};

/// How often a level is corrected by the next coarser one.
enum class CycleShape {
  v,  ///< once
  w,  ///< twice, so that a level is visited twice as often as the next finer one
  f   ///< by an F-cycle, then a V-cycle, so that a level is visited once more than the next finer one
};

/// How solves begin.
enum class MultigridStart {
  cycle,  ///< with a cycle, like all that follow
  full    ///< with full multigrid: the problem is solved on all levels, from the coarsest up
};

struct MultigridSettings {
  CycleShape cycle = CycleShape::v;
  SmootherSettings smoother = {};
  MultigridStart start = MultigridStart::cycle;
  int start_cycles = 1;           ///< on each level of full multigrid
  bool single_precision = false;  ///< cycles in single precision, whatever the solver's precision (SinglePrecision)
  int levels = 0;                 ///< most levels; 0: as many as the operator provides
  BottomSolver bottom = BottomSolver::smoother;
  int bottom_sweeps = 8;
};

/// Geometric multigrid as z = M^-1 r, one cycle from zero (Trottenberg, Oosterlee, Schüller, Multigrid, chapter 2). It
/// uses operators and their coarsening, and does not depend on grids or ranks. For V- and W-cycles M is symmetric
/// positive definite, so that conjugate gradients may use it: the up-sweep smooths as often as the down-sweep, in the
/// adjoint order. For F-cycles (section 2.4) on four or more levels it is not symmetric: the V-cycle comes last.
class Multigrid final : public Preconditioner {
 public:
  explicit Multigrid(MultigridSettings const& settings = {});
  ~Multigrid() override;

  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;
  [[nodiscard]] double apply_dot(Vector const& r, Vector& z) override;
  [[nodiscard]] bool has_start() const override { return settings_.start == MultigridStart::full; }
  void start(Vector const& r, Vector& z) override;

  [[nodiscard]] std::vector<std::string> fallbacks() const override { return fallbacks_; }

  /// Number of levels that `prepare` made.
  [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
  /// Operator of a level, 0 being the finest.
  [[nodiscard]] Operator const& level_operator(int level) const;

 private:
  struct Level;
  /// z = one cycle for r.
  void run(Vector const& r, Vector& z);
  [[nodiscard]] bool only_enqueues() const;
  /// x = one cycle for A x = b on `level`, from x or from zero.
  void cycle(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  /// The same if there is a coarser level: `correct` if that has fewer unknowns, `move` if it is on other ranks.
  void correct(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  void move(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  /// x = full multigrid for A x = b (Trottenberg, Oosterlee, Schüller, section 2.6): solves on the coarsest level, then
  /// level by level interpolates to the next finer one and improves the solution by cycles there.
  void full(Vector const& b, Vector& x);
  /// The same as `cycle` for the level's own b and x, as often as the shape requires.
  void cycles(CycleShape shape, std::size_t level);
  void solve_bottom(Level& level, Vector const& b, Vector& x);
  void make_resident();
  void find_fallbacks();

  MultigridSettings settings_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<std::string> fallbacks_;
  std::unique_ptr<ResidentCycle> resident_;  ///< V-cycles of levels that are small enough for one launch …
  std::size_t resident_from_ = 0;            ///< … from this one on
  /// The cycle and full multigrid, if they only enqueue kernels.
  std::unique_ptr<ReplayedWork> replayed_, replayed_start_;
};

/// The preconditioner that the settings describe.
[[nodiscard]] std::unique_ptr<Preconditioner> make_multigrid(MultigridSettings const& settings);

/// Remarks on solves by cycles only: if they need too many, and if they cannot converge.
inline constexpr char const* multigrid_is_slow = "raise the number of iterations or use it as a preconditioner of cg";
inline constexpr char const* multigrid_needs_definite =
    "multigrid as a solver needs a positive definite operator; use it as a preconditioner of gmres";

/// The iterated cycle: x = x + omega M^-1 (b - A x), with the omega of steepest descent (Saad, Iterative Methods for
/// Sparse Linear Systems, section 5.3.1). The error falls in the energy norm at every step, even if a cycle overshoots
/// (jumping coefficients); this decrease is used to detect stalls.
class MultigridSolver final : public KrylovSolver {
 public:
  MultigridSolver(Criteria const& criteria, MultigridSettings const& settings);

 private:
  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *residual_; }
  [[nodiscard]] Vector* spare() const override { return image_.get(); }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] char const* advice() const override { return multigrid_is_slow; }

  std::unique_ptr<Vector> residual_, correction_, image_;  ///< b - A x, z = M^-1 (b - A x) and A z
};

}  // namespace halocline
