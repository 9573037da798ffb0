#pragma once

#include <memory>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/face_coefficients.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

/// An operator is singular if only its neighbours determine an unknown: no wall, no mass term of a time step.
enum class Regularity { regular, singular };

/// The operator with a coefficient on each face, on any multigrid level; it coarsens itself down to a single unknown.
/// Its regularity matters on the finest level only. Collective over the grid's communicator.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_face_operator(ControlVolumeGrid grid, FaceCoefficients<Real> coefficients,
                                                           Regularity regularity = Regularity::regular);

}  // namespace halocline
