#include "solvers/linear/cg_engine.hpp"

#include <span>

#include "framework/operator/generic_steps.hpp"

namespace halocline {
namespace {

/// Base of the engines: holds the update of x that a step defers to the next one.
class DeferringEngine : public CgEngine {
 public:
  explicit DeferringEngine(Vectors vectors) : v_(vectors) {}
  void apply_deferred_update() final {
    if (deferred_ != 0) v_.x.add(deferred_, *v_.p);
    deferred_ = 0;
  }

 protected:
  Vectors v_;
  double deferred_ = 0;  ///< alpha of the deferred update
};

/// The host waits for each sum before it continues.
class WaitingEngine final : public DeferringEngine {
 public:
  WaitingEngine(std::shared_ptr<CgSteps const> steps, Vectors vectors)
      : DeferringEngine(vectors), steps_(std::move(steps)) {}

  void start(CgRecurrence const& /*recurrence*/) override { apply_deferred_update(); }
  CgSquares step(CgRecurrence& recurrence, Vector const& z) override {
    double const curvature = steps_->step(deferred_, recurrence.beta, z, v_.x, v_.p, v_.work);
    deferred_ = 0;
    if (!recurrence.find_alpha(curvature)) return {.curvature = curvature, .residual = 0};
    deferred_ = recurrence.alpha;
    return {.curvature = curvature, .residual = steps_->residual(deferred_, *v_.p, *v_.work, *v_.r)};
  }

 private:
  std::shared_ptr<CgSteps const> steps_;
};

/// Enqueues step n + 1 before the host has read step n's dot products. Step n + 1 also applies step n's deferred update
/// of x; if n was the last step, the rest of it is discarded.
class EngineAhead : public DeferringEngine {
 public:
  EngineAhead(CgStepsAhead const& steps, Vectors vectors, ResidualSolve const& solve)
      : DeferringEngine(vectors), steps_(steps), solve_(solve) {}

  void start(CgRecurrence const& recurrence) override {
    apply_deferred_update();
    finish();
    steps_.start(recurrence.product);
  }
  CgSquares step(CgRecurrence& recurrence, Vector const& /*z*/) override {
    enqueue(++taken_);
    if (solve_.iterations() + 1 < solve_.most_iterations()) enqueue(taken_ + 1);
    CgSquares const squares = steps_.squares(buffer(taken_));
    recurrence.find_alpha(squares.curvature);
    deferred_ = enqueued_ > taken_ ? 0 : recurrence.alpha;
    return squares;
  }
  void finish() override {
    if (enqueued_ > taken_) static_cast<void>(steps_.squares(buffer(enqueued_)));
    enqueued_ = taken_;
  }

 protected:
  CgStepsAhead const& steps_;
  ResidualSolve const& solve_;

 private:
  static int buffer(Index step) { return static_cast<int>(step % 2); }
  void enqueue(Index step) {
    if (enqueued_ >= step) return;
    steps_.start_step(buffer(step), v_.x, v_.p, v_.work, *v_.r);
    enqueued_ = step;
  }

  Index taken_ = 0;
  Index enqueued_ = 0;
};

/// A persistent kernel runs steps until the bounds of a solve are met. If the system is too large for that, steps are
/// enqueued ahead.
class ResidentEngine final : public EngineAhead {
 public:
  using EngineAhead::EngineAhead;

  void start(CgRecurrence const& recurrence) override {
    measured_ = {};
    if (is_too_large_) EngineAhead::start(recurrence);
  }
  CgSquares step(CgRecurrence& recurrence, Vector const& z) override {
    if (!is_too_large_ && measured_.empty()) {
      measured_ = steps_.run_persistent(recurrence, solve_.bounds(), v_.x, *v_.p, *v_.r);
      is_too_large_ = measured_.empty();
      if (is_too_large_) EngineAhead::start(recurrence);
    }
    if (is_too_large_) return EngineAhead::step(recurrence, z);
    CgSquares const squares = measured_.front();
    measured_ = measured_.subspan(1);
    recurrence.find_alpha(squares.curvature);
    return squares;
  }

 private:
  std::span<CgSquares const> measured_;  ///< dot products of finished steps that have not been returned yet
  bool is_too_large_ = false;
};

}  // namespace

std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool is_plain,
                                         ResidualSolve const& solve) {
  auto steps = cg_steps(a);
  if (CgStepsAhead const* const ahead = is_plain ? steps->ahead() : nullptr) {
    return std::make_unique<ResidentEngine>(*ahead, vectors, solve);
  }
  return std::make_unique<WaitingEngine>(std::move(steps), vectors);
}

}  // namespace halocline
