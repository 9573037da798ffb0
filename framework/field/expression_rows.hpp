#pragma once

#include <array>
#include <span>
#include <vector>

#include "framework/deck/expression_program.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// A program for rows of entries along one axis, on hosts: it goes through the instructions once for many entries. What
/// depends on the place along the axis alone is evaluated once for all rows, what does not depend on it once for a row.
/// The values have the bits of `evaluate_at`, whatever the rows are cut into. Threads may share one.
class ExpressionRows {
 public:
  /// What one thread needs to work.
  struct Workspace {
    std::vector<double> stack;
    std::vector<double> row_values;
  };

  /// \param along     axis of the rows
  /// \param positions of the entries along it; they must outlive this
  /// \param rows      how many there are: values for all of them are kept where they are many
  ExpressionRows(ExpressionProgram const& program, int along, std::span<double const> positions, Index rows,
                 double time);

  [[nodiscard]] Workspace workspace() const;
  /// Evaluates the entries from `begin` to `end` of one row and puts them into `to`, `stride` numbers from one to the
  /// next.
  ///
  /// \param row position of the row; that along its axis does not matter
  template <class Real>
  void evaluate(std::array<double, 3> const& row, Index begin, Index end, Workspace& workspace, Real* to,
                Index stride) const;

 private:
  void run(ExpressionProgram const& program, std::array<double, 3> const& row, Index begin, int count,
           Workspace& workspace, double const*& result) const;

  int along_;
  std::span<double const> positions_;
  double time_;
  std::vector<ExpressionProgram> row_programs_;    ///< values that are the same along a row
  std::vector<std::vector<double>> entry_values_;  ///< values that are the same in all rows, by place along the axis
  ExpressionProgram rest_;                         ///< of all of them
};

}  // namespace halocline
