#pragma once

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/fused_passes.hpp"
#include "framework/operator/generic_steps.hpp"

namespace halocline {

/// Steps of conjugate gradients for an operator that provides only its product with x . A x: the rest is vector
/// operations.
class ProductCgSteps : public CgSteps {
 public:
  double step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
              std::unique_ptr<Vector>& work) const final {
    return generic_cg_step(*this, alpha, beta, z, x, *p, *work);
  }
  double residual(double alpha, Vector const& /*p*/, Vector const& work, Vector& r) const final {
    return add_and_square(r, -alpha, work);
  }
};

}  // namespace halocline
