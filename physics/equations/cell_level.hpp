#pragma once

#include <memory>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/face_level.hpp"
#include "framework/operator/operator.hpp"
#include "physics/equations/cell_diffusion.hpp"

namespace halocline {

/// The operator with one coefficient per cell, which has a layer of ghosts; coarser levels store faces. Collective over
/// the grid's communicator.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_cell_operator(ControlVolumeGrid grid,
                                                           CellDiffusion<Real, Dimensions> const& functor,
                                                           std::shared_ptr<Field<Real> const> coefficient,
                                                           Regularity regularity = Regularity::regular);

}  // namespace halocline
