#include "solvers/multigrid/multigrid.hpp"

#include <span>
#include <string>
#include <utility>

#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/region.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/single_precision.hpp"

namespace halocline {

struct Multigrid::Level {
  Operator const* a = nullptr;
  std::unique_ptr<Coarsening> coarsening;  ///< null on the coarsest level
  CyclePasses const* passes = nullptr;     ///< fused smoothing and transfers; null if there are none
  std::unique_ptr<Smoother> smoother;      ///< made when first needed: CyclePasses do without
  std::unique_ptr<Vector> b, x;            ///< null on the finest level: the caller's are used
  std::unique_ptr<Vector> inverse;         ///< inverse of the only entry of the coarsest operator
  std::unique_ptr<ConjugateGradients> bottom;

  [[nodiscard]] bool is_smoothed() const { return coarsening == nullptr || coarsening->kind() != LevelKind::moved; }
  Smoother& smoothed_by(SmootherSettings const& settings) {
    if (smoother == nullptr) smoother = make_smoother(*a, settings);
    return *smoother;
  }
};

namespace {

/// 1 / a for an operator with one unknown; zero if a is (the constant of a pure Neumann problem).
std::unique_ptr<Vector> inverse_of_single(Operator const& a) {
  auto inverse = a.create_vector();
  if (!a.diagonal(*inverse)) return nullptr;
  if (inverse->maximum() > 0) inverse->invert();
  return inverse;
}

/// `replayed`: null if the work cannot be replayed.
template <class Work>
void run_or_replay(ReplayedWork* replayed, Vector const& r, Vector& z, Work const& work) {
  if (replayed == nullptr) return work();
  // A swap gives a vector other memory, and new vectors may get the memory of old ones.
  replayed->run({&r, &z, r.memory(), z.memory()}, work);
}

}  // namespace

std::unique_ptr<Preconditioner> make_multigrid(MultigridSettings const& settings) {
  auto cycles = std::make_unique<Multigrid>(settings);
  if (!settings.single_precision) return cycles;
  return std::make_unique<SinglePrecision>(std::move(cycles));
}

Multigrid::Multigrid(MultigridSettings const& settings) : settings_(settings) {}
Multigrid::~Multigrid() = default;

void Multigrid::prepare(Operator const& a) {
  ScopedRegion const region("multigrid: set-up");
  resident_.reset();
  levels_.clear();
  Operator const* at = &a;
  while (true) {
    auto& level = *levels_.emplace_back(std::make_unique<Level>());
    level.a = at;
    if (levels_.size() > 1) {
      level.b = at->create_vector();
      level.x = at->create_vector();
    }
    if (levels() != settings_.levels) level.coarsening = at->coarsen();
    SmootherEntry const& smoother = usable_smoother(*at, settings_.smoother);
    if (smoother.passes && level.coarsening) level.passes = smoother.passes(*level.coarsening);
    if (level.is_smoothed() && !smoother.passes && at->create_vector()->size() > 1) {
      level.smoother = make_smoother(*at, settings_.smoother);
    }
    if (level.coarsening == nullptr) break;
    at = &level.coarsening->coarse();
  }
  log_debug("multigrid has " + std::to_string(levels()) + " levels");
  Level& last = *levels_.back();
  if (at->create_vector()->size() == 1) last.inverse = inverse_of_single(*at);
  if (last.inverse == nullptr && settings_.bottom == BottomSolver::conjugate_gradients) {
    last.bottom = std::make_unique<ConjugateGradients>(Criteria{.relative = 1e-10, .absolute = 0, .iterations = 10000});
    last.bottom->prepare(*at);
  }
  make_resident();
  bool const replays = only_enqueues();
  for (auto* const work : {&replayed_, &replayed_start_}) *work = replays ? std::make_unique<ReplayedWork>() : nullptr;
  // An operator that cannot be smoothed is reported here, where it costs least, and not in the middle of a solve.
  bool const smooths = levels() > 1 || last.bottom == nullptr;
  if (smooths && last.inverse == nullptr) last.smoothed_by(settings_.smoother);
  find_fallbacks();
}

void Multigrid::find_fallbacks() {
  fallbacks_.clear();
  std::string const& asked = settings_.smoother.name;
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    bool const is_smoothed = n + 1 < levels_.size() ? levels_[n]->is_smoothed()
                                                    : levels_[n]->inverse == nullptr && levels_[n]->bottom == nullptr;
    std::string const& used = is_smoothed ? usable_smoother(*levels_[n]->a, settings_.smoother).name : asked;
    if (used == asked || !settings_.smoother.is_asked_for) continue;
    std::string said = "multigrid: the operator does not have the colouring of `smoother: ";
    said.append(asked).append("`, ").append(used).append(" is used instead from level ");
    fallbacks_.push_back(said.append(std::to_string(n)).append(" on"));
    break;
  }
  bool const is_alone = levels() == 1 && settings_.levels != 1 && levels_.front()->inverse == nullptr;
  if (is_alone) fallbacks_.emplace_back("multigrid: the operator has no coarser level; only the smoother is applied");
}

/// Finds the longest chain of small levels below the finest one, whose vectors are the caller's.
void Multigrid::make_resident() {
  if (levels_.back()->inverse == nullptr) return;
  std::vector<CycleLevel> chain;
  for (auto const& level : levels_) chain.push_back({level->b.get(), level->x.get(), level->coarsening.get()});
  for (std::size_t n = 1; n + 1 < chain.size(); ++n) {
    if (levels_[n]->passes == nullptr) continue;
    resident_ = levels_[n]->passes->resident_cycle(std::span(chain).subspan(n), settings_.smoother.sweeps,
                                                   *levels_.back()->inverse);
    resident_from_ = n;
    if (resident_ != nullptr) return;
  }
}

Operator const& Multigrid::level_operator(int level) const { return *levels_[static_cast<std::size_t>(level)]->a; }

/// With one unknown on the coarsest level, a V-cycle by CyclePasses needs no values on the host.
bool Multigrid::only_enqueues() const {
  bool only = settings_.cycle == CycleShape::v && levels_.back()->inverse != nullptr;
  for (auto const& level : levels_) {
    only = only && (!level->coarsening || (level->passes != nullptr && level->passes->only_enqueue()));
  }
  return only;
}

void Multigrid::run(Vector const& r, Vector& z) {
  run_or_replay(replayed_.get(), r, z, [&] { cycle(settings_.cycle, 0, true, r, z); });
}

void Multigrid::start(Vector const& r, Vector& z) {
  ScopedRegion const region("multigrid: full");
  run_or_replay(replayed_start_.get(), r, z, [&] { full(r, z); });
}

void Multigrid::full(Vector const& b, Vector& x) {
  // Vectors of a level for the cycles of finer ones are unused until those begin.
  auto const right_hand_side = [&](std::size_t n) -> Vector const& { return n == 0 ? b : *levels_[n]->b; };
  auto const solution = [&](std::size_t n) -> Vector& { return n == 0 ? x : *levels_[n]->x; };
  std::size_t const last = levels_.size() - 1;
  for (std::size_t n = 0; n < last; ++n) {
    Coarsening const& to_coarse = *levels_[n]->coarsening;
    if (auto const* const transfers = to_coarse.full_multigrid())
      transfers->restrict_right_hand_side(right_hand_side(n), *levels_[n + 1]->b);
    else
      to_coarse.restrict_to(right_hand_side(n), *levels_[n + 1]->b);
  }
  solve_bottom(*levels_[last], right_hand_side(last), solution(last));
  for (std::size_t n = last; n-- > 0;) {
    Coarsening const& to_coarse = *levels_[n]->coarsening;
    if (auto const* const transfers = to_coarse.full_multigrid()) {
      transfers->interpolate(solution(n + 1), solution(n));
    } else {
      solution(n).fill(0);
      to_coarse.prolong_add(solution(n + 1), solution(n));
    }
    for (int count = 0; count < settings_.start_cycles; ++count) {
      cycle(settings_.cycle, n, false, right_hand_side(n), solution(n));
    }
  }
}

void Multigrid::apply(Vector const& r, Vector& z) {
  ScopedRegion const region("multigrid: cycle");
  run(r, z);
}

double Multigrid::apply_dot(Vector const& r, Vector& z) {
  apply(r, z);
  return r.dot(z);
}

void Multigrid::cycle(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x) {
  if (level + 1 == levels_.size()) return solve_bottom(*levels_[level], b, x);
  bool const is_resident = resident_ != nullptr && level >= resident_from_ && shape == CycleShape::v;
  if (is_resident) return resident_->enqueue(level - resident_from_, from_zero);
  if (levels_[level]->coarsening->kind() == LevelKind::moved) return move(shape, level, from_zero, b, x);
  correct(shape, level, from_zero, b, x);
}

void Multigrid::correct(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x) {
  Level& fine = *levels_[level];
  Level& coarse = *levels_[level + 1];
  Coarsening const& to_coarse = *fine.coarsening;
  int const relaxations = settings_.smoother.sweeps;
  if (CyclePasses const* const passes = fine.passes) {
    passes->relax_restrict(relaxations, from_zero, b, x, *coarse.b);
    cycles(shape, level + 1);
    passes->prolong_relax(relaxations, *coarse.x, b, x);
    return;
  }
  Smoother& smoother = fine.smoothed_by(settings_.smoother);
  smoother.smooth(true, from_zero, b, x);
  to_coarse.residual_restrict(b, x, *coarse.b);
  cycles(shape, level + 1);
  to_coarse.prolong_add(*coarse.x, x);
  smoother.smooth(false, false, b, x);
}

void Multigrid::move(CycleShape shape, std::size_t level, bool from_zero, Vector const& b, Vector& x) {
  Coarsening const& away = *levels_[level]->coarsening;
  Level& moved = *levels_[level + 1];
  if (from_zero) {
    x.fill(0);
    away.restrict_to(b, *moved.b);
  } else {
    away.residual_restrict(b, x, *moved.b);
  }
  cycles(shape, level + 1);
  away.prolong_add(*moved.x, x);
}

void Multigrid::cycles(CycleShape shape, std::size_t level) {
  Level& at = *levels_[level];
  cycle(shape, level, true, *at.b, *at.x);
  // Solving the coarsest level again would not improve it.
  if (shape == CycleShape::v || level + 1 == levels_.size()) return;
  cycle(shape == CycleShape::f ? CycleShape::v : shape, level, false, *at.b, *at.x);
}

void Multigrid::solve_bottom(Level& level, Vector const& b, Vector& x) {
  if (level.inverse != nullptr) return x.multiply(*level.inverse, b);
  if (level.bottom != nullptr) {
    x.fill(0);
    // Any result is a valid correction; the outer iteration checks it.
    [[maybe_unused]] SolveReport const report = level.bottom->solve(*level.a, b, x);
    return;
  }
  Smoother& smoother = level.smoothed_by(settings_.smoother);
  for (int sweep = 0; sweep < settings_.bottom_sweeps; ++sweep) smoother.smooth(true, sweep == 0, b, x);
  for (int sweep = 0; sweep < settings_.bottom_sweeps; ++sweep) smoother.smooth(false, false, b, x);
}

}  // namespace halocline
