#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>

#include "framework/grid/control_volume_grid.hpp"

namespace halocline {

/// The faces of the control volumes of a grid whose unknowns lie at equal distances, for point functors: what
/// multiplies K (u[here] - u[neighbour]) in the flux through a face. At a wall, where a u + b du/dn = v, u beyond it is
/// taken as zero and the wall's law is in the number: area a / (a d + b).
template <class Real>
struct UniformFaces {
  Real inside[3] = {0, 0, 0};                  ///< area / distance of faces between unknowns, across each axis
  Real wall[3][2] = {{0, 0}, {0, 0}, {0, 0}};  ///< of the lower and the upper wall; on periodic axes as inside
  Real volume = 0;                             ///< of a control volume
  Index first[3] = {0, 0, 0};                  ///< global index of the first unknown …
  Index last[3] = {0, 0, 0};                   ///< … and of the last one

  /// Of the face between an unknown and the one before it along `axis`.
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real lower(P const& at, int axis) const {
    return at.index(axis) == first[axis] ? wall[axis][0] : inside[axis];
  }
  /// Of the face between an unknown and the next one along `axis`.
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real upper(P const& at, int axis) const {
    return at.index(axis) == last[axis] ? wall[axis][1] : inside[axis];
  }
};

/// Of a grid with control volumes of one size; of others, those of the first unknown along each axis stand for all:
/// exact enough for the coarse levels of multigrid where counts are odd.
template <class Real>
[[nodiscard]] UniformFaces<Real> uniform_faces(ControlVolumeGrid const& grid) {
  UniformFaces<Real> faces;
  double volume = 1;
  for (ControlVolumes const& line : grid.volumes) volume *= line.width[0];
  faces.volume = static_cast<Real>(volume);
  for (std::size_t a = 0; a < 3; ++a) {
    ControlVolumes const& line = grid.volumes[a];
    faces.first[a] = line.first_entry;
    faces.last[a] = line.first_entry + line.size() - 1;
    if (a >= static_cast<std::size_t>(grid.dimensions())) continue;
    double const area = volume / line.width[0];
    bool const periodic = line.periodic_gap > 0;
    double const between = periodic ? line.conductance(0) : 1 / line.width[0];
    faces.inside[a] = static_cast<Real>(area * between);
    for (std::size_t side = 0; side < 2; ++side) {
      faces.wall[a][side] = periodic ? faces.inside[a] : static_cast<Real>(area * line.walls[side].conductance());
    }
  }
  return faces;
}

}  // namespace halocline
