#pragma once

#include <array>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

/// The boundary condition a u + b du/dn = v at one end of an axis, with outward normal n, and the distance of the wall
/// from the nearest unknown. With u linear between the two, the flux K area du/dn into the control volume is K area (v
/// - a u) / (a distance + b).
struct Wall {
  double a = 0;
  double b = 1;
  double distance = 0;

  /// Factor of K area v in the flux.
  [[nodiscard]] double source() const { return 1 / (a * distance + b); }
  /// Factor of -K area u in the flux.
  [[nodiscard]] double conductance() const { return a * source(); }
};

/// One axis of a tensor-product grid of unknowns as control volumes: cells around their centres, or the dual cells of
/// nodes. The transmissibility of a face is K area conductance. Nodes whose value a Dirichlet condition gives are not
/// unknowns.
///
/// Unknowns are numbered 0 … size() - 1 over the whole mesh; unknown u is the mesh's entry u + first_entry.
struct ControlVolumes {
  std::vector<double> position;  ///< of each unknown
  std::vector<double> width;     ///< of each control volume
  std::array<Wall, 2> walls{};   ///< lower and upper; unused on a periodic axis
  double periodic_gap = 0;       ///< from the last unknown to the first across the periodic boundary; 0: not periodic
  Index first_entry = 0;

  [[nodiscard]] Index size() const { return static_cast<Index>(position.size()); }
  /// Conductance of face `f`: 1 / distance between unknowns f - 1 and f, or that of the wall for f = 0 and f = size().
  [[nodiscard]] double conductance(Index f) const;
  /// Whether all widths and all gaps between unknowns are equal within rounding.
  [[nodiscard]] bool is_uniform() const;
  /// Merges unknowns: `first_child[c]` is the first fine unknown of coarse unknown c; the last entry of `first_child`
  /// is size(). A coarse unknown lies at the centre of mass of its children.
  [[nodiscard]] ControlVolumes merged(std::vector<Index> const& first_child) const;
};

/// Ratio of the conductance of coarse face `f` to that of the fine face at the same position.
[[nodiscard]] double conductance_ratio(ControlVolumes const& fine, ControlVolumes const& coarse, Index fine_face,
                                       Index coarse_face);

/// Ratio of a wall's contribution to the right-hand side on the coarse grid to that on the fine grid.
[[nodiscard]] double source_ratio(Wall const& fine, Wall const& coarse);

/// The unknowns along `axis` of a field of `centring` (cell or node) under `conditions`. Throws InputError if Dirichlet
/// conditions leave no unknown node, for a Robin condition with a b < 0 (the operator would not be positive definite)
/// or, on nodes, b = 0, for `zero` ghosts, which are no condition on the wall, and for any other condition on a
/// periodic axis than `periodic` or, which is none, `zero`; DefectError for another centring.
[[nodiscard]] ControlVolumes control_volumes(StructuredMesh const& mesh, int axis, Centring centring,
                                             BoundaryConditions const& conditions);

}  // namespace halocline
