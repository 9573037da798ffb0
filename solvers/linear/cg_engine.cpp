#include "solvers/linear/cg_engine.hpp"

#include <span>
#include <utility>

#include "framework/operator/generic_steps.hpp"

namespace halocline {
namespace {

/// The host waits for each sum before it continues.
class WaitingEngine final : public CgEngine {
 public:
  WaitingEngine(std::shared_ptr<CgSteps const> steps, Vectors vectors) : CgEngine(vectors), steps_(std::move(steps)) {}

  void start(CgRecurrence const& /*recurrence*/) override { apply_deferred_update(); }
  double direction_apply_and_dot(CgRecurrence const& recurrence, Vector const& z) override {
    return steps_->direction_apply_and_dot(std::exchange(deferred_, 0), recurrence.beta, z, v_.x, v_.p, v_.q);
  }
  CgUpdate update_and_square(double alpha) override {
    deferred_ = alpha;
    return steps_->update_and_square(alpha, *v_.p, *v_.q, *v_.r, v_.scaling);
  }

 private:
  std::shared_ptr<CgSteps const> steps_;
};

/// Enqueues step n + 1 before the host has read step n's dot products. Step n + 1 also applies step n's deferred update
/// of x; if n was the last step, the rest of it is discarded.
class EngineAhead : public CgEngine {
 public:
  EngineAhead(CgStepsAhead const& steps, Vectors vectors, ResidualSolve const& solve)
      : CgEngine(vectors), steps_(steps), solve_(solve) {}

  void start(CgRecurrence const& recurrence) override {
    apply_deferred_update();
    finish();
    steps_.start(recurrence.product);
  }
  double direction_apply_and_dot(CgRecurrence const& /*recurrence*/, Vector const& /*z*/) override {
    deferred_ = 0;
    enqueue(++taken_);
    if (solve_.iterations() + 1 < solve_.most_iterations()) enqueue(taken_ + 1);
    sums_ = steps_.sums(buffer(taken_));
    return sums_.curvature;
  }
  CgUpdate update_and_square(double alpha) override {
    if (enqueued_ == taken_) deferred_ = alpha;
    return sums_.update;
  }
  void finish() override {
    if (enqueued_ > taken_) static_cast<void>(steps_.sums(buffer(enqueued_)));
    enqueued_ = taken_;
  }

 protected:
  CgStepsAhead const& steps_;
  ResidualSolve const& solve_;
  CgSums sums_{};  ///< of the current step

 private:
  static int buffer(Index step) { return static_cast<int>(step % 2); }
  void enqueue(Index step) {
    if (enqueued_ >= step) return;
    steps_.start_step(buffer(step), v_.x, v_.p, v_.q, *v_.r, v_.scaling);
    enqueued_ = step;
  }

  Index taken_ = 0;
  Index enqueued_ = 0;
};

/// A persistent kernel runs steps without a preconditioner until the bounds of a solve are met. If the system is too
/// large for that, steps are enqueued ahead.
class ResidentEngine final : public EngineAhead {
 public:
  using EngineAhead::EngineAhead;

  void start(CgRecurrence const& recurrence) override {
    measured_ = {};
    if (is_too_large_) EngineAhead::start(recurrence);
  }
  double direction_apply_and_dot(CgRecurrence const& recurrence, Vector const& z) override {
    if (!is_too_large_ && measured_.empty()) {
      measured_ = steps_.run_persistent(recurrence, solve_.bounds(), v_.x, *v_.p, *v_.r);
      is_too_large_ = measured_.empty();
      if (is_too_large_) EngineAhead::start(recurrence);
    }
    if (is_too_large_) return EngineAhead::direction_apply_and_dot(recurrence, z);
    sums_ = measured_.front();
    measured_ = measured_.subspan(1);
    return sums_.curvature;
  }
  CgUpdate update_and_square(double alpha) override {
    return is_too_large_ ? EngineAhead::update_and_square(alpha) : sums_.update;
  }

 private:
  std::span<CgSums const> measured_;  ///< dot products of finished steps that have not been returned yet
  bool is_too_large_ = false;
};

}  // namespace

std::unique_ptr<CgEngine> make_cg_engine(Operator const& a, CgEngine::Vectors vectors, bool may_run_ahead,
                                         ResidualSolve const& solve) {
  auto steps = cg_steps(a);
  CgStepsAhead const* const ahead = may_run_ahead ? steps->ahead() : nullptr;
  if (ahead == nullptr) return std::make_unique<WaitingEngine>(std::move(steps), vectors);
  if (vectors.scaling) return std::make_unique<EngineAhead>(*ahead, vectors, solve);
  return std::make_unique<ResidentEngine>(*ahead, vectors, solve);
}

}  // namespace halocline
