#pragma once

#include <array>

#include "framework/grid/control_volume_grid.hpp"

namespace halocline {

/// Mean coupling of neighbours along each axis; only their ratios matter.
using Couplings = std::array<double, 3>;

/// Mean coupling over all faces, from each rank's sums over the faces between its unknowns and the next ones; 0 along
/// axes without faces. Collective.
[[nodiscard]] Couplings mean_over_faces(ControlVolumeGrid const& grid, Couplings sums);

/// Whether a grid that is distributed over several blocks should be agglomerated on each rank: it is so small that
/// messages would cost more than the work, it is small and divided into thin blocks, or all axes that should be
/// coarsened are divided into thin blocks.
[[nodiscard]] bool worth_agglomerating(ControlVolumeGrid const& grid, Couplings const& couplings);

/// 2 on the axes to coarsen: those whose coupling is not much weaker than the strongest one, since smoothing leaves
/// errors rough only along weakly coupled axes (semi-coarsening; Trottenberg, Oosterlee, Schüller, Multigrid, section
/// 5.1.2). Axes divided into thin blocks are not coarsened while others can be, until the grid is worth agglomerating.
[[nodiscard]] std::array<Index, 3> coarsening_factor(ControlVolumeGrid const& grid, Couplings const& couplings);

}  // namespace halocline
