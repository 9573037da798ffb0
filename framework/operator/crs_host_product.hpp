#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/operator/crs_assembly.hpp"

namespace halocline {

/// Prefetch distance in entries: hardware prefetches too little of the two streams.
inline constexpr int entries_ahead = 640;
/// Rows whose part of x . y is added up separately, for any number of threads.
inline constexpr Index rows_of_sum = 4096;

/// The rows of a block's unknowns along x, divided into stretches of at most rows_of_sum.
class RowStretches {
 public:
  RowStretches(BlockLayout const& layout, IndexRange const& unknowns)
      : layout_(layout),
        unknowns_(unknowns),
        of_a_line_((unknowns.end[0] - unknowns.begin[0] + rows_of_sum - 1) / rows_of_sum),
        lines_of_a_plane_(unknowns.end[1] - unknowns.begin[1]) {}
  [[nodiscard]] Index count() const {
    return unknowns_.empty() ? 0 : of_a_line_ * lines_of_a_plane_ * (unknowns_.end[2] - unknowns_.begin[2]);
  }
  struct Rows {
    Index begin, end;
  };
  [[nodiscard]] Rows rows(Index stretch) const {
    Index const line = stretch / of_a_line_;
    Index const j = unknowns_.begin[1] + line % lines_of_a_plane_;
    Index const k = unknowns_.begin[2] + line / lines_of_a_plane_;
    Index const i = unknowns_.begin[0] + stretch % of_a_line_ * rows_of_sum;
    Index const row = layout_.first + j * layout_.row + k * layout_.plane;
    return {row + i, row + std::min(i + rows_of_sum, unknowns_.end[0])};
  }

 private:
  BlockLayout layout_;
  IndexRange unknowns_;
  Index of_a_line_;
  Index lines_of_a_plane_;
};

/// On a host: y = A x on the rows of a stretch, and their part of x . y.
template <class Real>
struct MultiplyStretch {
  int const* offsets;
  int const* columns;
  Real const* values;
  Real const* x;
  Real* y;
  double* sums;
  RowStretches stretches;
  void operator()(Index stretch) const {
    constexpr int of_a_line = 64 / sizeof(Real);
    auto const [begin, end] = stretches.rows(stretch);
    double sum = 0;
    for (Index row = begin; row < end; ++row) {
      int const last = offsets[row + 1];
      Real product = 0;
      for (int n = offsets[row]; n < last; ++n) product += values[n] * x[columns[n]];
      for (int n = offsets[row]; n < last; n += of_a_line) {
        __builtin_prefetch(values + n + entries_ahead);
        __builtin_prefetch(columns + n + entries_ahead);
      }
      y[row] = product;
      sum += static_cast<double>(x[row]) * static_cast<double>(product);
    }
    sums[stretch] = sum;
  }
};

/// The product of a block's rows with a vector on a host, in one pass with a dot product.
template <class Real>
class CrsHostProduct {
 public:
  static constexpr bool has_dot = true;

  CrsHostProduct(CrsRows<Real> const& rows, BlockLayout const& layout, IndexRange const& unknowns)
      : rows_(rows), stretches_(layout, unknowns), sums_(static_cast<std::size_t>(stretches_.count())) {}

  /// y = A x on the unknowns, always with x . y, which costs nothing. x and y are arrays in the order of the block's
  /// allocation.
  void multiply(Execution const& where, Real const* x, Real* y, bool /*with_dot*/) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(where, 0, stretches_.count()),
                         MultiplyStretch<Real>{rows_.offsets.data(), rows_.columns.data(), rows_.values.data(), x, y,
                                               sums_.data(), stretches_});
    where.fence("halocline: product with a matrix");
  }
  /// The same bits for any number of threads.
  [[nodiscard]] double dot() const { return std::accumulate(sums_.begin(), sums_.end(), 0.0); }

 private:
  CrsRows<Real> rows_;
  RowStretches stretches_;
  std::vector<double> sums_;  ///< one per stretch
};

}  // namespace halocline
