#pragma once

#include <chrono>
#include <string>

#include "framework/operator/solve_report.hpp"

namespace halocline {

/// Keeps the report of a solve while it runs: times it, collects the history, tells the observer.
class SolveRecord {
 public:
  SolveRecord(std::string method, IterationObserver const& observer);

  void measure(Index iteration, double residual);
  /// Takes over what a method run inside this one measured, as iterations after those already done.
  void append(SolveReport const& inner);
  /// Steps done, where that is not the iteration last measured.
  void set_iterations(Index iterations) { report_.iterations = iterations; }
  /// Ends the solve; the record is of no use afterwards.
  [[nodiscard]] SolveReport finish(Outcome outcome, double true_residual, std::string remark = {});

  [[nodiscard]] SolveReport const& report() const { return report_; }

 private:
  SolveReport report_;
  IterationObserver const& observer_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace halocline
