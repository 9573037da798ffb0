#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Widths of a block's control volumes along each axis, from its first unknown, in the backend's memory.
template <class Real>
struct BlockWidths {
  std::array<Kokkos::View<Real*, Memory>, 3> along;
  BlockWidths(ControlVolumeGrid const& grid, Block const& block);
};

/// Sets `volumes` to the volume of each unknown's control volume.
template <class Real>
void fill_volumes(ControlVolumeGrid const& grid, Field<Real>& volumes);

extern template struct BlockWidths<float>;
extern template struct BlockWidths<double>;

}  // namespace halocline
