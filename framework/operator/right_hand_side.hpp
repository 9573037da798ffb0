#pragma once

#include <string>

#include "framework/deck/expression.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

/// Looks whether numbers that are not zero are left in the precision of x: throws SolveError where all of them have
/// become zero, and warns where the largest is so small that others have lost digits. Collective.
///
/// \param called what messages call x
void require_in_range(Vector const& x, std::string const& called);

/// b = b times `volume`, of the values of a source; those that are not zero are required to be in range. Collective.
///
/// \param called what messages call the source
/// \param zero   whether all of them are zero, also before they were rounded
void integrate_values(std::string const& called, bool zero, Vector const& volume, Vector& b);

/// b = the integral of a source over the volume of each unknown: the expression there times `volume`. Throws InputError
/// as `evaluate` does; a source that is not zero is required to be in range.
template <class Real>
void integrate_source(Expression const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b);

}  // namespace halocline
