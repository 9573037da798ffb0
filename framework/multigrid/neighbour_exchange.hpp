#pragma once

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// An exchange for the ghosts of vectors on a grid; null if no block of any rank has a neighbour. Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Exchange> neighbour_exchange(ControlVolumeGrid const& grid,
                                                           ExchangeOptions const& options = {}) {
  bool has_neighbours = false;
  for (Block const& block : grid.mesh->blocks()) {
    for (int axis = 0; axis < grid.dimensions(); ++axis) {
      has_neighbours = has_neighbours || block.neighbour(axis, -1) || block.neighbour(axis, 1);
    }
  }
  if (!grid.mesh->communicator().any(has_neighbours)) return nullptr;
  Field<Real> const like(grid.mesh, FieldDescription{.name = "vector", .centring = grid.centring, .ghosts = 1});
  return std::make_unique<Exchange>(std::vector<FieldBase const*>{&like}, options);
}

}  // namespace halocline
