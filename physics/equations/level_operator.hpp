#pragma once

#include <memory>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/operator/operator.hpp"
#include "physics/equations/constant_diffusion.hpp"
#include "physics/equations/face_coefficients.hpp"

namespace halocline {

/// An operator is singular where nothing but its neighbours determines an unknown: no wall, no mass of a time step.
enum class Regularity { regular, singular };

// The operators of this room on any level of multigrid; each knows how to coarsen itself, down to a single unknown.
// Their regularity counts on the finest level alone. Collective over the grid's communicator.

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_face_operator(ControlVolumeGrid grid, FaceCoefficients<Real> coefficients,
                                                           Regularity regularity = Regularity::regular);

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid grid,
                                                               ConstantDiffusion<Real, Dimensions> const& functor,
                                                               Regularity regularity = Regularity::regular);

}  // namespace halocline
