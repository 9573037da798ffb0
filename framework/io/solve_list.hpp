#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "framework/operator/solve_report.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The solves of a run, in bounded space: totals of all, and reports of the first, the last and, of those in between,
/// the worst. A solve whose verification was doubted is worse than others, and of two the one with more iterations.
class SolveList {
 public:
  static constexpr std::size_t first_listed = 400, last_listed = 400, worst_listed = 100;

  void add(Index step, SolveReport const& report);

  /// The reports in their order, a JSON array.
  [[nodiscard]] std::string reports() const;
  /// A JSON object: the count of all solves, the number of each outcome, all iterations and seconds, and how many
  /// solves are not among `reports`.
  [[nodiscard]] std::string totals() const;

  /// All that a continued run needs, as JSON.
  [[nodiscard]] std::string serialized() const;
  /// Sets the solves to those of `serialized`, or to an array of reports, as earlier versions stored them. Throws an
  /// exception for anything else.
  void restore(std::string const& json);

 private:
  struct Solve {
    std::string report;  ///< a JSON object
    Index iterations = 0;
    bool is_doubted = false;
    [[nodiscard]] bool is_worse_than(Solve const& other) const {
      return is_doubted != other.is_doubted ? is_doubted : iterations > other.iterations;
    }
  };
  void list(Solve solve);
  [[nodiscard]] static Solve solve_of(std::string const& report);

  std::vector<Solve> first_;
  std::vector<Solve> worst_;
  std::deque<Solve> last_;
  std::map<std::string, Index> outcomes_;
  Index count_ = 0;
  Index iterations_ = 0;
  double seconds_ = 0;
};

}  // namespace halocline
