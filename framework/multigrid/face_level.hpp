#pragma once

#include <memory>

#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/face_coefficients.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

/// An operator is singular where nothing but its neighbours determines an unknown: no wall, no mass of a time step.
enum class Regularity { regular, singular };

/// The operator with a coefficient on each face on any level of multigrid, which coarsens itself down to a single
/// unknown. Its regularity counts on the finest level alone. Collective over the grid's communicator.
template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_face_operator(ControlVolumeGrid grid, FaceCoefficients<Real> coefficients,
                                                           Regularity regularity = Regularity::regular);

}  // namespace halocline
