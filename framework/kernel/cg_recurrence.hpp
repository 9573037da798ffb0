#pragma once

#include <cfloat>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/host_device.hpp"

namespace halocline {

/// The scalars of conjugate gradients (Hestenes and Stiefel 1952, equations 3:1), for every form of a step: by a host
/// that waits for the dot products, by kernels between sweeps, or within one persistent kernel.
struct CgRecurrence {
  double product = 0;  ///< r . z at the start of the step
  double alpha = 0;    ///< length of the step
  double beta = 0;     ///< weight of the previous direction in this step's direction

  /// Sets the length of a step along a direction with p . A p = `curvature`. Returns false, with zero length, unless
  /// the curvature is positive and finite.
  HALOCLINE_HOST_DEVICE bool find_alpha(double curvature) {
    bool const is_curved = curvature > 0 && curvature <= DBL_MAX;
    alpha = is_curved ? product / curvature : 0;
    return is_curved;
  }
  /// Sets the weight for the next direction from the new r . z. `other`: the new z times the previous r (Polak and
  /// Ribiere), zero if one symmetric preconditioner is used throughout.
  HALOCLINE_HOST_DEVICE void find_beta(double next, double other = 0) {
    beta = (next - other) / product;
    product = next;
  }
};

/// When a batch of CG steps in a persistent kernel ends.
struct CgBounds {
  double enough;    ///< at a 2-norm of r of this or less …
  double too_much;  ///< … or above this
  Index most;       ///< or after this many steps
};

}  // namespace halocline
