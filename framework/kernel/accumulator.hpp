#pragma once

#include <Kokkos_Macros.hpp>
#include <limits>

#include "framework/mesh/index_range.hpp"

namespace halocline {

// Accumulators of reductions. A default-constructed one is the neutral element; `add` takes one term, `merge` another
// accumulator. All hold double, whatever the precision of the fields.

/// The plain sum.
struct PlainSum {
  double sum = 0;
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) { sum += term; }
  KOKKOS_FORCEINLINE_FUNCTION void merge(PlainSum const& other) { sum += other.sum; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double value() const { return sum; }
};

/// A sum that also accumulates the rounding error of every addition (two-sum; D. E. Knuth, The Art of Computer
/// Programming 2, 4.2.2), so that its own error is that of one rounding plus second-order terms.
struct CompensatedSum {
  double sum = 0;
  double error = 0;
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) {
    double const total = sum + term;
    double const taken = total - sum;
    error += (sum - (total - taken)) + (term - taken);
    sum = total;
  }
  /// Symmetric: merging a into b gives the same bits as merging b into a.
  KOKKOS_FORCEINLINE_FUNCTION void merge(CompensatedSum const& other) {
    double const errors = error + other.error;
    error = 0;
    add(other.sum);
    error += errors;
  }
  /// The error of an infinite sum is NaN and is left out.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double value() const { return error == error ? sum + error : sum; }
};

/// The largest of non-negative terms (a maximum norm), zero without terms; NaN if any term is NaN.
struct Maximum {
  double largest = 0;
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) { largest = ((term > largest) | (term != term)) ? term : largest; }
  KOKKOS_FORCEINLINE_FUNCTION void merge(Maximum const& other) { add(other.largest); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double value() const { return largest; }
};

/// The least term, infinity without terms; NaN if any term is NaN.
struct Least {
  static constexpr double neutral = std::numeric_limits<double>::infinity();
  double least = neutral;
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) { least = ((term < least) | (term != term)) ? term : least; }
  KOKKOS_FORCEINLINE_FUNCTION void merge(Least const& other) { add(other.least); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double value() const { return least; }
};

/// The greatest term of any sign, minus infinity without terms; NaN if any term is NaN.
struct Greatest {
  static constexpr double neutral = -std::numeric_limits<double>::infinity();
  double greatest = neutral;
  KOKKOS_FORCEINLINE_FUNCTION void add(double term) {
    greatest = ((term > greatest) | (term != term)) ? term : greatest;
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(Greatest const& other) { add(other.greatest); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double value() const { return greatest; }
};

namespace kernel {

/// Sums are grouped by index alone. Term n of a row, counted from the start of the range, goes to lane n modulo
/// `group`. `merge_group` merges the lanes, then `group` neighbouring rows, then `group` neighbouring groups of rows,
/// and so on until one accumulator is left.
inline constexpr int group = 32;

/// Rows longer than this are summed as several rows, so that a 1D mesh has work for every thread.
inline constexpr int longest_row = 4096;

/// Merges 2 * Half accumulators into the first by halving: for 32, 0 with 16, 1 with 17, …; then 0 with 8, …. Merging
/// is symmetric, so a rotation of the accumulators does not change the result.
template <int Half, class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION void merge_halves(Accumulator* lane) {
  for (int n = 0; n < Half; ++n) lane[n].merge(lane[n + Half]);
  if constexpr (Half > 1) merge_halves<Half / 2>(lane);
}

/// The same for up to `group` accumulators; missing ones are neutral.
template <class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION Accumulator merge_group(Accumulator const* first, Index count) {
  Accumulator lane[group];
  for (Index n = 0; n < count; ++n) lane[n] = first[n];
  merge_halves<group / 2>(lane);
  return lane[0];
}

}  // namespace kernel
}  // namespace halocline
