#include "solvers/linear/cg_engine.hpp"

#include <span>

#include "framework/operator/generic_steps.hpp"

namespace halocline {
namespace {

/// The host sees each sum before it goes on.
class WaitingEngine final : public CgEngine {
 public:
  WaitingEngine(std::shared_ptr<CgSteps const> steps, Vectors vectors) : steps_(std::move(steps)), v_(vectors) {}

  void start(CgRecurrence const& /*recurrence*/) override { apply_deferred_update(); }
  CgSquares step(CgRecurrence& recurrence, Vector const& z) override {
    double const curvature = steps_->step(deferred_, recurrence.beta, z, v_.x, v_.p, v_.work);
    deferred_ = 0;
    if (!recurrence.find_alpha(curvature)) return {.curvature = curvature, .residual = 0};
    deferred_ = recurrence.alpha;
    return {.curvature = curvature, .residual = steps_->residual(deferred_, *v_.p, *v_.work, *v_.r)};
  }
  void apply_deferred_update() override {
    if (deferred_ != 0) v_.x.add(deferred_, *v_.p);
    deferred_ = 0;
  }

 private:
  std::shared_ptr<CgSteps const> steps_;
  Vectors v_;
  double deferred_ = 0;  ///< alpha of the update of x that the next step makes
};

/// A step is enqueued before the host has seen what the one before measured: it makes the deferred update of x, and all
/// else that it does is of no matter if that one was the last.
class EngineAhead final : public CgEngine {
 public:
  EngineAhead(CgStepsAhead const& steps, Vectors vectors, ResidualSolve const& judge)
      : steps_(steps), v_(vectors), judge_(judge) {}

  void start(CgRecurrence const& recurrence) override {
    apply_deferred_update();
    finish();
    steps_.start(recurrence.product);
  }
  CgSquares step(CgRecurrence& recurrence, Vector const& /*z*/) override {
    enqueue(++taken_);
    if (judge_.iterations() + 1 < judge_.most_iterations()) enqueue(taken_ + 1);
    CgSquares const squares = steps_.squares(buffer(taken_));
    recurrence.find_alpha(squares.curvature);
    deferred_ = enqueued_ > taken_ ? 0 : recurrence.alpha;
    return squares;
  }
  void apply_deferred_update() override {
    if (deferred_ != 0) v_.x.add(deferred_, *v_.p);
    deferred_ = 0;
  }
  void finish() override {
    if (enqueued_ > taken_) static_cast<void>(steps_.squares(buffer(enqueued_)));
    enqueued_ = taken_;
  }

 private:
  static int buffer(Index step) { return static_cast<int>(step % 2); }
  void enqueue(Index step) {
    if (enqueued_ >= step) return;
    steps_.start_step(buffer(step), v_.x, v_.p, v_.work, *v_.r);
    enqueued_ = step;
  }

  CgStepsAhead const& steps_;
  Vectors v_;
  ResidualSolve const& judge_;
  Index taken_ = 0;
  Index enqueued_ = 0;
  double deferred_ = 0;
};

/// The operator takes steps by itself until one of them is to be judged.
class ResidentEngine final : public CgEngine {
 public:
  ResidentEngine(CgStepsAhead const& steps, Vectors vectors, ResidualSolve const& judge)
      : steps_(steps), v_(vectors), judge_(judge) {}

  void start(CgRecurrence const& recurrence) override {
    if (instead_) return instead_->start(recurrence);
    taken_ = {};
  }
  CgSquares step(CgRecurrence& recurrence, Vector const& z) override {
    if (!instead_ && taken_.empty()) {
      taken_ = steps_.run_persistent(recurrence, judge_.bounds(), v_.x, *v_.p, *v_.r);
      if (taken_.empty()) {
        instead_ = std::make_unique<EngineAhead>(steps_, v_, judge_);
        instead_->start(recurrence);
      }
    }
    if (instead_) return instead_->step(recurrence, z);
    CgSquares const squares = taken_.front();
    taken_ = taken_.subspan(1);
    recurrence.find_alpha(squares.curvature);
    return squares;
  }
  void apply_deferred_update() override {
    if (instead_) instead_->apply_deferred_update();
  }
  void finish() override {
    if (instead_) instead_->finish();
  }

 private:
  CgStepsAhead const& steps_;
  Vectors v_;
  ResidualSolve const& judge_;
  std::span<CgSquares const> taken_;      ///< what steps that are over measured, but for what was handed out
  std::unique_ptr<EngineAhead> instead_;  ///< where the system is too large
};

}  // namespace

std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool is_plain,
                                         ResidualSolve const& judge) {
  auto steps = cg_steps(a);
  if (CgStepsAhead const* const ahead = is_plain ? steps->ahead() : nullptr) {
    return std::make_unique<ResidentEngine>(*ahead, vectors, judge);
  }
  return std::make_unique<WaitingEngine>(std::move(steps), vectors);
}

}  // namespace halocline
