#pragma once

#include <vector>

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/stops.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Sees the iterations of the one solve of a stationary run: what they measured is kept for the record, also if a stop
/// leaves the solve unfinished; checkpoints of the iterate are begun, and a stop is agreed on by all ranks.
class SolveObserver {
 public:
  SolveObserver(Communicator const& communicator, Progress& progress, Stops const& stops)
      : progress_(progress), stops_(stops), watch_(communicator) {}

  /// From here on there are checkpoints.
  void begin(Output& output, Checkpoints& checkpoints) {
    output_ = &output;
    checkpoints_ = &checkpoints;
  }
  /// Collective. Throws StoppedError, on all ranks in the same iteration, where the run has to stop; what was written
  /// is whole then.
  void see(Index iteration, double residual);
  /// Collective, when the solve is over.
  void finish() { watch_.finish(); }

  [[nodiscard]] std::vector<Index> const& iterations() const { return iterations_; }
  [[nodiscard]] std::vector<double> const& residuals() const { return residuals_; }

 private:
  Progress& progress_;
  Stops const& stops_;
  SolveWatch watch_;
  Output* output_ = nullptr;
  Checkpoints* checkpoints_ = nullptr;
  bool has_begun_ = false;  ///< a checkpoint, since all last said how far they are
  std::vector<Index> iterations_;
  std::vector<double> residuals_;
};

}  // namespace halocline
