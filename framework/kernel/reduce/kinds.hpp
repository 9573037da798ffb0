#pragma once

#include <Kokkos_Macros.hpp>

#include "framework/kernel/accumulator.hpp"

// Kinds of reductions: the term of each value, in double precision, and the accumulator of the terms. The product of
// two single-precision numbers is exact in double.

namespace halocline::reduce {

/// x0 + x1 + …
struct Sum {
  using Accumulator = PlainSum;
  static constexpr int inputs = 1;
  static constexpr double padding = 0;  ///< a value that changes nothing
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x; }
};

/// The least value; infinity for no values, NaN if any value is NaN.
struct Minimum {
  using Accumulator = Least;
  static constexpr int inputs = 1;
  static constexpr double padding = Least::neutral;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x; }
};

/// The greatest value; minus infinity for no values, NaN if any value is NaN.
struct Maximum {
  using Accumulator = Greatest;
  static constexpr int inputs = 1;
  static constexpr double padding = Greatest::neutral;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x; }
};

/// x0 y0 + x1 y1 + …
struct Dot {
  using Accumulator = PlainSum;
  static constexpr int inputs = 2;
  static constexpr double padding = 0;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x, double y) { return x * y; }
};

/// The square of the Euclidean norm, x0 x0 + x1 x1 + …: squares of blocks and of ranks can be added.
struct SquareNorm {
  using Accumulator = PlainSum;
  static constexpr int inputs = 1;
  static constexpr double padding = 0;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x * x; }
};

/// |x0| + |x1| + …
struct OneNorm {
  using Accumulator = PlainSum;
  static constexpr int inputs = 1;
  static constexpr double padding = 0;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x < 0 ? -x : x; }
};

/// The largest magnitude; zero for no values, NaN if any value is NaN.
struct MaximumNorm {
  using Accumulator = halocline::Maximum;
  static constexpr int inputs = 1;
  static constexpr double padding = 0;
  KOKKOS_FORCEINLINE_FUNCTION static double term(double x) { return x < 0 ? -x : x; }
};

}  // namespace halocline::reduce
