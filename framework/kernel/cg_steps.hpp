#pragma once

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// What a step of conjugate gradients measured on its way.
struct CgSquares {
  double curvature;  ///< p . A p
  double residual;   ///< square of the 2-norm of the new r
};

/// With what steps of conjugate gradients that are taken by themselves begin, and when they end.
struct CgBounds {
  double beta;      ///< of the first step
  double square;    ///< r . r before it
  double enough;    ///< 2-norm of r that ends them: this or less …
  double too_much;  ///< … or more than this
  Index most;       ///< steps
};

}  // namespace halocline
