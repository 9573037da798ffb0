#pragma once

#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// The faces of a section `boundary` on axes of the mesh that are not periodic, west first.
///
/// \param mesh the section `mesh` of the same deck
[[nodiscard]] std::vector<Options> walls(Options const& boundary, Options const& mesh);

/// Whether some wall fixes the unknown (dirichlet, or robin with `a`); otherwise any constant could be added to it.
[[nodiscard]] bool walls_make_regular(Options const& boundary, Options const& mesh);

/// judge_boundary; and a mistake for each wall whose condition diffusion cannot do with unknowns on `centring`, which
/// control_volumes would refuse: `zero`, robin with `a` and `b` of different signs or, on nodes, with b = 0, and
/// dirichlet walls that leave no node between them. For the judge of a physics.
void judge_walls(Options const& boundary, Options const& mesh, Centring centring, Mistakes& mistakes);

}  // namespace halocline
