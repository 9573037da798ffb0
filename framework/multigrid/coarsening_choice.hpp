#pragma once

#include <array>

#include "framework/grid/control_volume_grid.hpp"

namespace halocline {

/// Mean coupling of neighbours along each axis; only their ratios matter.
using Couplings = std::array<double, 3>;

/// From what each rank has added up over the faces between its unknowns and the next ones, the mean over all faces; 0
/// along axes without any. Collective.
[[nodiscard]] Couplings mean_over_faces(ControlVolumeGrid const& grid, Couplings sums);

/// Whether a grid that is spread over several ranks is better off as a whole on each of them: it is so small that
/// messages would cost more than the work, it is small and cut into thin blocks, or all axes that want coarsening are
/// cut so.
[[nodiscard]] bool worth_agglomerating(ControlVolumeGrid const& grid, Couplings const& couplings);

/// 2 on the axes to coarsen: those whose coupling is not much weaker than the strongest one's, since smoothing leaves
/// nothing but weakly coupled differences rough (semi-coarsening; Trottenberg, Oosterlee, Schüller, Multigrid, section
/// 5.1.2). Where others can be coarsened, axes that are cut into thin blocks wait until the grid is worth
/// agglomerating.
[[nodiscard]] std::array<Index, 3> coarsening_factor(ControlVolumeGrid const& grid, Couplings const& couplings);

}  // namespace halocline
