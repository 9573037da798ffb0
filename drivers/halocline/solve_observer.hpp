#pragma once

#include <vector>

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/stops.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Observes the iterations of the single solve of a stationary run: records their residuals, also if a stop leaves the
/// solve unfinished, starts checkpoints of the iterate, and lets all ranks agree on a stop.
class SolveObserver {
 public:
  SolveObserver(Communicator const& communicator, Progress& progress, Stops const& stops)
      : progress_(progress), stops_(stops), watch_(communicator) {}

  /// Enables checkpoints.
  void begin(Output& output, Checkpoints& checkpoints) {
    output_ = &output;
    checkpoints_ = &checkpoints;
  }
  /// Collective. Throws StoppedError, on all ranks in the same iteration, if the run has to stop; all written files are
  /// then complete.
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
  bool has_begun_ = false;  ///< a checkpoint, since all ranks last reported
  std::vector<Index> iterations_;
  std::vector<double> residuals_;
};

}  // namespace halocline
