#pragma once

#include <chrono>
#include <string>

#include "framework/operator/solve_report.hpp"

namespace halocline {

/// Collects the report of a running solve: time and history; calls the observer.
class SolveRecord {
 public:
  SolveRecord(std::string method, IterationObserver const& observer);

  void measure(Index iteration, double residual);
  /// Appends the history of a method run inside this one, as iterations after those already done.
  void append(SolveReport const& inner);
  /// Sets the number of steps, if that is not the iteration of the last residual.
  void set_iterations(Index iterations) { report_.iterations = iterations; }
  /// Ends the solve; the record must not be used afterwards.
  [[nodiscard]] SolveReport finish(Outcome outcome, double true_residual, std::string remark = {});

  [[nodiscard]] SolveReport const& report() const { return report_; }

 private:
  SolveReport report_;
  IterationObserver const& observer_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace halocline
