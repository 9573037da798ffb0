#pragma once

#include <array>
#include <memory>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/multigrid/agglomeration.hpp"
#include "framework/multigrid/paired_cells.hpp"

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

/// Fills the ghosts of a coefficient on cells, with two layers of them, for sweeps over nodes that read the cells
/// around each: towards other blocks one layer, and zero beyond walls, where there is no material.
template <class Real>
void fill_cell_ghosts(Field<Real>& coefficient);

/// A coefficient in single precision, with ghosts as by fill_cell_ghosts.
[[nodiscard]] std::shared_ptr<Field<float> const> cell_coefficient_in_single_precision(
    Field<double> const& coefficient);

/// The mean over the fine cells within each coarse cell, with ghosts as by fill_cell_ghosts, which the coefficient has.
template <class Real>
[[nodiscard]] std::shared_ptr<Field<Real> const> coarse_cell_means(PairedCells const& coarse,
                                                                   Field<Real> const& coefficient);

/// The whole coefficient on every rank, with ghosts.
template <class Real>
[[nodiscard]] std::shared_ptr<Field<Real> const> agglomerated(Agglomeration<Real> const& agglomeration,
                                                              Field<Real> const& coefficient);

}  // namespace halocline
