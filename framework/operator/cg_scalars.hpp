#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/cg_recurrence.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// The recurrence of conjugate gradients in device memory, so that steps need not wait for the host to read the dot
/// products of previous ones.
class CgScalars {
 public:
  CgScalars();
  [[nodiscard]] double const* alpha() const { return &recurrence_.data()->alpha; }
  [[nodiscard]] double const* beta() const { return &recurrence_.data()->beta; }

  // Each enqueues a kernel.

  /// Starts a new sequence of directions from r with this r . z.
  void begin(Execution const& execution, double product) const;
  void find_alpha(Execution const& execution, PlainSum const* curvature) const;
  /// From r . r, or r . r and r . z.
  void find_beta(Execution const& execution, PlainSum const* sums, bool has_product) const;

 private:
  Kokkos::View<CgRecurrence, Memory> recurrence_;
};

}  // namespace halocline
