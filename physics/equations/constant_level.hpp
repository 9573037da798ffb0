#pragma once

#include <memory>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/face_level.hpp"
#include "framework/operator/operator.hpp"
#include "physics/equations/constant_diffusion.hpp"

namespace halocline {

/// The operator with constant coefficients on any multigrid level. It coarsens itself down to a single unknown; where
/// counts are odd, the coarse operator reads coefficients from memory. `regularity` matters on the finest level only.
/// Collective over the grid's communicator.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid grid,
                                                               ConstantDiffusion<Real, Dimensions> const& functor,
                                                               Regularity regularity = Regularity::regular);

}  // namespace halocline
