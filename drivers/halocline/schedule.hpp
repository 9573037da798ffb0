#pragma once

#include "framework/deck/options.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// The steps of a run.
class Schedule {
 public:
  /// One step of size zero.
  [[nodiscard]] static Schedule stationary() { return {}; }
  /// As a judged `time` section says: `steps` steps of one length, or as many as `end` needs, the last one shortened.
  [[nodiscard]] static Schedule evolving(Options const& time);

  [[nodiscard]] Index steps() const { return steps_; }
  /// The step with that number; 1 <= number <= steps().
  [[nodiscard]] Step step(Index number) const;
  [[nodiscard]] double start() const { return start_; }

 private:
  double start_ = 0;
  double size_ = 0;
  double last_size_ = 0;
  Index steps_ = 1;
};

}  // namespace halocline
