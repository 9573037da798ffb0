#pragma once

#include <array>
#include <memory>
#include <string>

#include "framework/field/boundary.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/io/field_values.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline::advection {

/// What u is on a face between two cells.
enum class Scheme {
  central,  ///< interpolated: second order, but it may oscillate where a cell's Péclet number is above 2
  upwind    ///< that of the cell the flow comes from: first order, and never oscillating
};

/// v . grad u - div(k grad u) + c u on the cells of a mesh.
struct Description {
  std::shared_ptr<StructuredMesh const> mesh;
  BoundaryConditions conditions{};  ///< as control_volumes takes them
  std::array<PointValues, 3> velocity{Expression(0.0), Expression(0.0), Expression(0.0)};
  PointValues diffusivity{Expression(1.0)};  ///< k, above 0
  PointValues reaction{Expression(0.0)};     ///< c
  Scheme scheme = Scheme::central;
  std::string called = "advection";  ///< section of the deck that messages name
};

/// One row of the operator, integrated over its cell.
struct Row {
  std::array<double, 7>
      weights{};      ///< of the cell, then of west, east, south, north, bottom and top; zero beyond walls
  double source = 0;  ///< what the values of the walls add to the right-hand side
  double peclet = 0;  ///< largest |v| distance / k of the faces between cells
};

/// Finite volumes. Through each face, n pointing outwards, go area (v . n) (u_face - u) of advection, which is
/// v . grad u once div v u - u div v is taken together, so that constants stay constant in any flow; and
/// -area k du/dn of diffusion by the two cells next to it. At a wall a u + b du/dn = value the two are made of the
/// value that the condition gives to u there, with u linear between wall and cell (Ferziger and Perić, Computational
/// Methods for Fluid Dynamics, 3rd edition, chapter 4).
class Discretisation {
 public:
  /// Throws InputError for conditions that say nothing of a wall, see control_volumes.
  explicit Discretisation(Description description);

  [[nodiscard]] Description const& description() const { return description_; }
  [[nodiscard]] ControlVolumeGrid const& grid() const { return grid_; }
  /// Of the cell with this global index. Throws InputError, naming the place, for a velocity, reaction or wall value
  /// that is no finite number, and for a diffusivity that is not above 0.
  [[nodiscard]] Row row(Extents const& cell) const;

 private:
  void add_face(int axis, int side, Extents const& cell, Row& row) const;
  [[nodiscard]] double value(PointValues const& given, char const* option, std::array<double, 3> const& at) const;

  Description description_;
  ControlVolumeGrid grid_;
};

}  // namespace halocline::advection
