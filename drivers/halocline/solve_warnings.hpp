#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/operator/solve_report.hpp"

namespace halocline {

/// Warns of fallbacks of solves, of criteria that say little about the error, and of errors that are not measured as
/// requested: once for each kind, however many solves follow.
class SolveWarnings {
 public:
  void add(std::vector<SolveReport> const& solves);
  /// Reports how many further solves had an error like the first.
  void finish() const;

 private:
  std::map<std::string, Index> fallbacks_;  ///< number of solves by sentence
  Index cautions_ = 0;
  Index complaints_ = 0;
  Index solves_ = 0;
};

}  // namespace halocline
