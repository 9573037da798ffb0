#pragma once

#include <memory>

#include "framework/operator/operator.hpp"

namespace halocline {

/// Assembles `a`, which acts on the unknowns of a field, as a CrsOperator (compressed rows) of the same precision, with
/// the smallest radius for which matrix and operator agree on a random vector. Collective. Throws SolveError, on all
/// ranks alike, when `a` does not act on fields, its rows reach beyond the ghosts of its vectors, or an entry is not
/// finite.
[[nodiscard]] std::unique_ptr<Operator> assemble(Operator const& a);

}  // namespace halocline
