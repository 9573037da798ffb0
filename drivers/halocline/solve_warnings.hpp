#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/operator/solve_report.hpp"

namespace halocline {

/// Warns of what solves fell back to, and of errors that are not what was asked for: once of each, however many solves
/// follow.
class SolveWarnings {
 public:
  void add(std::vector<SolveReport> const& solves);
  /// Says how many solves more had an error like the first.
  void finish() const;

 private:
  std::map<std::string, Index> fallbacks_;  ///< solves by sentence
  Index complaints_ = 0;
  Index solves_ = 0;
};

}  // namespace halocline
