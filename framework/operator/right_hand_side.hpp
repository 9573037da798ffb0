#pragma once

#include <string>

#include "framework/deck/expression.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

/// Checks that non-zero values survive in the precision of x. Throws SolveError if all of them became zero, and warns
/// if the largest is so small that others have lost digits. Collective.
///
/// \param called name of x in messages
void require_in_range(Vector const& x, std::string const& called);

/// b = b times `volume`, where b holds the values of a source; non-zero values must be in range. Collective.
///
/// \param called name of the source in messages
/// \param zero   whether all values are zero, also before rounding
void integrate_values(std::string const& called, bool zero, Vector const& volume, Vector& b);

/// b = the integral of a source over the volume of each unknown: its value there times `volume`. Throws InputError like
/// `evaluate`; a non-zero source must be in range.
template <class Real>
void integrate_source(Expression const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b);

}  // namespace halocline
