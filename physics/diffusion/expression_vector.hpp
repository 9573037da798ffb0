#pragma once

#include "framework/deck/expression.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

/// x = the expression at the position of each unknown of a vector of fields. Evaluated on the host.
template <class Real>
void evaluate(Expression const& expression, double time, Vector& x);

struct ErrorNorms {
  double two;      ///< sqrt(sum(weight error^2) / sum(weight))
  double maximum;  ///< largest absolute error
};

/// What u is away from `exact` at `time`. `weight` holds the volume of each unknown. Collective.
template <class Real>
[[nodiscard]] ErrorNorms error_norms(Vector const& u, Expression const& exact, double time, Vector const& weight);

}  // namespace halocline
