#pragma once

#include <memory>

#include "framework/operator/cg_steps.hpp"
#include "framework/operator/operator.hpp"
#include "framework/operator/relaxation.hpp"

// The steps of a method for any operator: the operator's capability, or generic steps made of apply, diagonal and
// vector operations. All refer to the operator, which must outlive them.

namespace halocline {

[[nodiscard]] std::shared_ptr<CgSteps const> cg_steps(Operator const& a);
[[nodiscard]] std::shared_ptr<JacobiSteps const> jacobi_steps(Operator const& a);
[[nodiscard]] std::shared_ptr<ChebyshevSteps const> chebyshev_steps(Operator const& a);

/// y = A x; returns x . y.
double apply_dot(Operator const& a, Vector const& x, Vector& y);

/// Number of colours of an operator's relaxation, 0 without one.
[[nodiscard]] int colours_of(Operator const& a);

}  // namespace halocline
