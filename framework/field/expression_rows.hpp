#pragma once

#include <array>
#include <span>
#include <vector>

#include "framework/deck/expression_program.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Evaluates a program for rows of entries along one axis, on hosts: each instruction processes a batch of entries.
/// Parts that depend only on the position along the axis are evaluated once for all rows; parts that do not depend on
/// it, once a row. Results are bitwise equal to `evaluate_at`, for any division of the rows. Threads may share one
/// object.
class ExpressionRows {
 public:
  /// Scratch memory of one thread.
  struct Workspace {
    std::vector<double> stack;
    std::vector<double> row_values;
  };

  /// \param along     axis of the rows
  /// \param positions positions of the entries along the axis; must outlive this
  /// \param rows      number of rows: if there are many, values common to all rows are precomputed
  ExpressionRows(ExpressionProgram const& program, int along, std::span<double const> positions, Index rows,
                 double time);

  [[nodiscard]] Workspace workspace() const;
  /// Evaluates the entries from `begin` to `end` of one row and stores them in `to` with a distance of `stride`.
  ///
  /// \param row position of the row; its component along the axis is ignored
  template <class Real>
  void evaluate(std::array<double, 3> const& row, Index begin, Index end, Workspace& workspace, Real* to,
                Index stride) const;

 private:
  void run(ExpressionProgram const& program, std::array<double, 3> const& row, Index begin, int count,
           Workspace& workspace, double const*& result) const;

  int along_;
  std::span<double const> positions_;
  double time_;
  std::vector<ExpressionProgram> row_programs_;    ///< values that are constant along a row
  std::vector<std::vector<double>> entry_values_;  ///< values common to all rows, by index along the axis
  ExpressionProgram rest_;                         ///< reads both kinds of values
};

}  // namespace halocline
