#pragma once

#include <array>
#include <memory>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/agglomeration.hpp"

// The coefficients of an equation on the unknowns of a grid, and on its coarser ones. All functions are collective.

namespace halocline {

/// Fills one layer of ghosts: with the values of neighbouring blocks, beyond walls with that of the adjacent unknown.
template <class Real>
void fill_coefficient_ghosts(ControlVolumeGrid const& grid, Field<Real>& coefficient);

/// The mean over the children of each coarse unknown, with ghosts.
template <class Real>
[[nodiscard]] std::shared_ptr<Field<Real> const> coarse_means(ControlVolumeGrid const& fine,
                                                              ControlVolumeGrid const& coarse,
                                                              std::array<Index, 3> const& factor,
                                                              Field<Real> const& coefficient);

/// The whole coefficient on every rank, with ghosts.
template <class Real>
[[nodiscard]] std::shared_ptr<Field<Real> const> agglomerated(Agglomeration<Real> const& agglomeration,
                                                              Field<Real> const& coefficient);

}  // namespace halocline
