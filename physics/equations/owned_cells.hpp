#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// Calls check(value, position) with the owned cells of a field on this rank's blocks, in host memory; `position(axis)`
/// is a coordinate of the cell's centre.
template <class Real, class Check>
void for_owned_cells(StructuredMesh const& mesh, Field<Real> const& field, Check const& check) {
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = field.owned(block);
    std::vector<Real> cells(static_cast<std::size_t>(owned.size()));
    field.copy_owned(block, 0, std::as_writable_bytes(std::span(cells)));
    for (std::size_t n = 0; n < cells.size(); ++n) {
      auto const number = static_cast<Index>(n);
      Index const row = number / owned.extent(0);
      Extents const cell{number % owned.extent(0), row % owned.extent(1), row / owned.extent(1)};
      check(static_cast<double>(cells[n]), [&](int axis) {
        auto const a = static_cast<std::size_t>(axis);
        return mesh.coordinate(axis, Centring::cell, block.cells.begin[a] + cell[a]);
      });
    }
  }
}

}  // namespace halocline
