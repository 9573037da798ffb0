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
  smoother,            ///< sweeps of the smoother; exact where the operator coarsens to a single unknown
  conjugate_gradients  ///< to a fixed tolerance, far below what a cycle gains
};

/// How often a level corrects itself by the next coarser one.
enum class CycleShape {
  v,  ///< once
  w,  ///< twice, so that levels are visited twice as often as the next finer ones
  f   ///< by an F-cycle, then a V-cycle, so that each level is visited once more than the next finer one
};

/// What solves begin with.
enum class MultigridStart {
  cycle,  ///< a cycle, like all that follow
  full    ///< full multigrid: the problem is solved on all levels, from the coarsest up
};

struct MultigridSettings {
  CycleShape cycle = CycleShape::v;
  SmootherSettings smoother = {};
  MultigridStart start = MultigridStart::cycle;
  int start_cycles = 1;           ///< on each level of full multigrid
  bool single_precision = false;  ///< cycles in single precision, whatever that of the solver (SinglePrecision)
  int levels = 0;                 ///< most levels; 0: as many as the operator has
  BottomSolver bottom = BottomSolver::smoother;
  int bottom_sweeps = 8;
};

/// Geometric multigrid as z = M^-1 r, one cycle from zero (Trottenberg, Oosterlee, Schüller, Multigrid, chapter 2).
/// It knows operators and what they say of coarsening, not grids or ranks. Of V- and W-cycles M is symmetric positive
/// definite, so that conjugate gradients may use it: each way smooths as often as the other, in the adjoint order. Of
/// F-cycles (section 2.4) on four levels and more it is not symmetric: the V-cycle comes after.
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
  /// z = a cycle for r.
  void run(Vector const& r, Vector& z);
  [[nodiscard]] bool only_enqueues() const;
  /// x = cycle for A x = b on `level`, from x or from zero.
  void cycle(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  /// The same where there is a coarser level: `correct` where that has fewer unknowns, `move` where it is on other
  /// ranks.
  void correct(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  void move(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x);
  /// x = full multigrid for A x = b (Trottenberg, Oosterlee, Schüller, section 2.6): solved on the coarsest level, then
  /// level by level interpolated to the next finer one and improved by cycles there.
  void full(Vector const& b, Vector& x);
  /// The same as `cycle` for the level's own b and x, as often as the shape says.
  void cycles(CycleShape shape, std::size_t level);
  void solve_bottom(Level& level, Vector const& b, Vector& x);
  void make_resident();
  void find_fallbacks();

  MultigridSettings settings_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<std::string> fallbacks_;
  std::unique_ptr<ResidentCycle> resident_;  ///< V-cycles of levels that are small enough for one launch …
  std::size_t resident_from_ = 0;            ///< … from this one on
  /// The cycle and full multigrid, where they only enqueue kernels.
  std::unique_ptr<ReplayedWork> replayed_, replayed_start_;
};

/// The preconditioner that the settings describe.
[[nodiscard]] std::unique_ptr<Preconditioner> make_multigrid(MultigridSettings const& settings);

/// What solves by cycles alone are remarked on with where they take too many, and where they cannot be.
inline constexpr char const* multigrid_is_slow = "raise the number of iterations or use it as a preconditioner of cg";
inline constexpr char const* multigrid_needs_definite =
    "multigrid as a solver needs a positive definite operator; take it as a preconditioner of gmres";

/// The cycle iterated: x = x + omega M^-1 (b - A x), with the omega of steepest descent (Saad, Iterative Methods for
/// Sparse Linear Systems, section 5.3.1): the error falls in the energy norm at every step, also where a cycle
/// overshoots (jumping coefficients), by what a stall is told.
class MultigridSolver final : public KrylovSolver {
 public:
  MultigridSolver(Criteria const& criteria, MultigridSettings const& settings);

 private:
  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *residual_; }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;
  [[nodiscard]] char const* advice() const override { return multigrid_is_slow; }

  std::unique_ptr<Vector> residual_, correction_, image_;  ///< b - A x, z = M^-1 (b - A x) and A z
};

}  // namespace halocline
