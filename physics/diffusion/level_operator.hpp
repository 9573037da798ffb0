#pragma once

#include <memory>

#include "framework/operator/operator.hpp"
#include "physics/diffusion/constant_diffusion.hpp"
#include "physics/diffusion/diffusion_grid.hpp"
#include "physics/diffusion/face_coefficients.hpp"

namespace halocline {

// The operators of this room on any level of multigrid; each knows how to coarsen itself, down to a single unknown.
// Collective over the grid's communicator.

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_face_operator(DiffusionGrid grid, FaceCoefficients<Real> coefficients);

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_constant_operator(DiffusionGrid grid,
                                                               ConstantDiffusion<Real, Dimensions> const& functor);

/// Whether a grid that is spread over several ranks is better off as a whole on each of them: it is so small that
/// messages would cost more than the work, or cut so thin that blocks cannot be coarsened.
[[nodiscard]] bool worth_gathering(DiffusionGrid const& grid);

/// 2 on the axes to coarsen: those whose coupling is not much weaker than the strongest one's, since smoothing leaves
/// nothing but weakly coupled differences rough (semi-coarsening; Trottenberg, Oosterlee, Schüller, Multigrid, section
/// 5.1.2).
[[nodiscard]] std::array<Index, 3> coarsening_factor(DiffusionGrid const& grid, std::array<double, 3> const& couplings);

}  // namespace halocline
