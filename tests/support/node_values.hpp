#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline::test {

/// Sets the owned nodes of a field to function(component, position), with a position of three coordinates; those of
/// axes that the mesh lacks are zero.
template <class Real, class Function>
void set_nodes(Field<Real>& field, Function const& function) {
  StructuredMesh const& mesh = structured(field.mesh());
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = field.owned(block);
    Extents const first = mesh.global_owned(block.id, Centring::node).begin;
    for (int c = 0; c < field.components(); ++c) {
      std::vector<Real> values;
      for (Index k = 0; k < owned.end[2]; ++k) {
        for (Index j = 0; j < owned.end[1]; ++j) {
          for (Index i = 0; i < owned.end[0]; ++i) {
            Index const local[3] = {i, j, k};
            double position[3] = {0, 0, 0};
            for (int axis = 0; axis < mesh.dimensions(); ++axis) {
              auto const a = static_cast<std::size_t>(axis);
              position[a] = mesh.coordinate(axis, Centring::node, first[a] + local[a]);
            }
            values.push_back(static_cast<Real>(function(c, position)));
          }
        }
      }
      field.set_owned(block, c, std::as_bytes(std::span(values)));
    }
  }
}

}  // namespace halocline::test
