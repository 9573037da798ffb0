#pragma once

#include <memory>

#include "framework/operator/operator.hpp"
#include "physics/diffusion/constant_diffusion.hpp"
#include "physics/diffusion/diffusion_grid.hpp"
#include "physics/diffusion/face_coefficients.hpp"

namespace halocline {

/// Whether anything holds the unknown of an operator, but for its neighbours: a wall, or the mass of a time step.
enum class Hold { held, floating };

// The operators of this room on any level of multigrid; each knows how to coarsen itself, down to a single unknown.
// Whether they are floating counts on the finest level alone. Collective over the grid's communicator.

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_face_operator(DiffusionGrid grid, FaceCoefficients<Real> coefficients,
                                                           Hold hold = Hold::held);

template <class Real, int Dimensions>
[[nodiscard]] std::unique_ptr<Operator> make_constant_operator(DiffusionGrid grid,
                                                               ConstantDiffusion<Real, Dimensions> const& functor,
                                                               Hold hold = Hold::held);

/// volumes = the control volume of every unknown.
template <class Real>
void fill_volumes(DiffusionGrid const& grid, Vector& volumes);

/// Mean coupling of neighbours along each axis; only their ratios matter.
using Couplings = std::array<double, 3>;

/// Whether a grid that is spread over several ranks is better off as a whole on each of them: it is so small that
/// messages would cost more than the work, it is small and cut into thin blocks, or all axes that want coarsening are
/// cut so.
[[nodiscard]] bool worth_gathering(DiffusionGrid const& grid, Couplings const& couplings);

/// 2 on the axes to coarsen: those whose coupling is not much weaker than the strongest one's, since smoothing leaves
/// nothing but weakly coupled differences rough (semi-coarsening; Trottenberg, Oosterlee, Schüller, Multigrid, section
/// 5.1.2). Where others can be coarsened, axes that are cut into thin blocks wait until the grid is worth gathering.
[[nodiscard]] std::array<Index, 3> coarsening_factor(DiffusionGrid const& grid, Couplings const& couplings);

}  // namespace halocline
