#pragma once

#include <memory>

#include "framework/operator/operator.hpp"

namespace halocline {

/// `a`, which acts on the unknowns of a field, as a matrix in compressed rows: a CrsOperator of its precision, for the
/// smallest radius at which the matrix does what `a` does to a random vector. Collective. Throws SolveError, on all
/// ranks alike, when `a` does not act on fields, its rows reach beyond the ghosts of its vectors or entries are no
/// finite numbers.
[[nodiscard]] std::unique_ptr<Operator> assemble(Operator const& a);

}  // namespace halocline
