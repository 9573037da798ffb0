#pragma once

#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// The faces of a section `boundary` on non-periodic axes of the mesh, west first.
///
/// \param mesh the section `mesh` of the same deck
[[nodiscard]] std::vector<Options> walls(Options const& boundary, Options const& mesh);

/// Whether a wall fixes the solution (dirichlet, or robin with `a`); otherwise it is determined only up to a constant.
[[nodiscard]] bool walls_make_regular(Options const& boundary, Options const& mesh);

/// Calls validate_boundary, and adds a mistake for each wall whose condition control_volumes would refuse for diffusion
/// with unknowns on `centring`: `zero`, robin with `a` and `b` of different signs or, on nodes, with b = 0, and
/// dirichlet walls without a node between them. For the checks of a physics.
void validate_walls(Options const& boundary, Options const& mesh, Centring centring, Mistakes& mistakes);

}  // namespace halocline
