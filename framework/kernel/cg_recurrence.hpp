#pragma once

#include <cfloat>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/host_device.hpp"

namespace halocline {

/// The scalars of conjugate gradients (Hestenes and Stiefel 1952, equations 3:1), wherever a step is made: by a host
/// that waits for what it measured, by kernels between sweeps, or within one kernel.
struct CgRecurrence {
  double product = 0;  ///< r . z, of the residual that the step goes from
  double alpha = 0;    ///< length of the step
  double beta = 0;     ///< weight of the direction before in the one of this step

  /// The length of a step along a direction with p . A p = `curvature`: zero, and false, where that is not above zero
  /// or no finite number.
  HALOCLINE_HOST_DEVICE bool find_alpha(double curvature) {
    bool const is_curved = curvature > 0 && curvature <= DBL_MAX;
    alpha = is_curved ? product / curvature : 0;
    return is_curved;
  }
  /// The next direction, from the new r . z. `other`: the new z with the r before, zero if there is one symmetric
  /// preconditioner throughout (Polak and Ribiere's choice).
  HALOCLINE_HOST_DEVICE void find_beta(double next, double other = 0) {
    beta = (next - other) / product;
    product = next;
  }
};

/// What a step of conjugate gradients measured on its way.
struct CgSquares {
  double curvature;  ///< p . A p
  double residual;   ///< square of the 2-norm of the new r
};

/// When steps of conjugate gradients that are taken by themselves end.
struct CgBounds {
  double enough;    ///< 2-norm of r that ends them: this or less …
  double too_much;  ///< … or more than this
  Index most;       ///< steps
};

}  // namespace halocline
