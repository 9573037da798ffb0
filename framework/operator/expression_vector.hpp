#pragma once

#include <string>

#include "framework/deck/expression.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

/// x = the expression at the position of each unknown of a vector of fields, as Field::fill evaluates it. Throws
/// InputError, naming `called`, where it is not a finite number on an owned entry.
template <class Real>
void evaluate(Expression const& expression, std::string const& called, double time, Vector& x);

struct ErrorNorms {
  double two;      ///< sqrt(sum(weight error^2) / sum(weight))
  double maximum;  ///< largest absolute error
};

/// Difference of u and `exact` (named `called` in errors) at `time`. `weight` holds the volume of each unknown.
/// Collective.
template <class Real>
[[nodiscard]] ErrorNorms error_norms(Vector const& u, Expression const& exact, std::string const& called, double time,
                                     Vector const& weight);

}  // namespace halocline
