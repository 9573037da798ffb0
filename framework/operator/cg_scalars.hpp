#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/accumulator.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Scalars of conjugate gradients in the memory of the kernels, so that steps need not wait for a host to have seen
/// what the ones before measured.
class CgScalars {
 public:
  CgScalars();
  [[nodiscard]] double const* alpha() const { return numbers_.data(); }
  [[nodiscard]] double const* beta() const { return numbers_.data() + 1; }

  // Each enqueues a kernel.

  /// alpha = beta = 0, with `square` the r . r that the first alpha is made of.
  void begin(Execution const& execution, double square) const;
  /// alpha = r . r / curvature, or zero where that is not above zero or no finite number.
  void find_alpha(Execution const& execution, PlainSum const* curvature) const;
  /// beta = the new r . r over the old one.
  void find_beta(Execution const& execution, PlainSum const* square) const;

 private:
  Kokkos::View<double*, Memory> numbers_;  ///< alpha, beta and r . r
};

}  // namespace halocline
