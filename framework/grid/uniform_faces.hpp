#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>

#include "framework/grid/control_volume_grid.hpp"

namespace halocline {

/// The faces of the control volumes of a uniform grid, for point functors: the factor of K (u[here] - u[neighbour]) in
/// the flux through a face. At a wall with the condition a u + b du/dn = v, the value u beyond the wall counts as zero
/// and the factor is area a / (a d + b), where d is the distance to the wall.
template <class Real>
struct UniformFaces {
  Real inside[3] = {0, 0, 0};                  ///< area / distance of faces between unknowns, on each axis
  Real wall[3][2] = {{0, 0}, {0, 0}, {0, 0}};  ///< of the lower and upper walls; as `inside` on periodic axes
  Real volume = 0;                             ///< of a control volume
  Index first[3] = {0, 0, 0};                  ///< global index of the first unknown …
  Index last[3] = {0, 0, 0};                   ///< … and of the last one

  /// Factor of the face between an unknown and the previous one along `axis`.
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real lower(P const& at, int axis) const {
    return at.index(axis) == first[axis] ? wall[axis][0] : inside[axis];
  }
  /// Factor of the face between an unknown and the next one along `axis`.
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real upper(P const& at, int axis) const {
    return at.index(axis) == last[axis] ? wall[axis][1] : inside[axis];
  }
};

/// Exact for a grid with control volumes of equal size. Otherwise the first control volume on each axis represents all:
/// accurate enough for coarse multigrid levels with odd counts.
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
