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

/// mass u + scale (v . grad u - div(k grad u) + c u) on the cells of a mesh.
struct Description {
  std::shared_ptr<StructuredMesh const> mesh;
  BoundaryConditions conditions{};  ///< as control_volumes takes them
  std::array<PointValues, 3> velocity{Expression(0.0), Expression(0.0), Expression(0.0)};
  PointValues diffusivity{Expression(1.0)};  ///< k, above 0 …
  bool may_lack_diffusion = false;           ///< … or 0, which `central` cannot do
  PointValues reaction{Expression(0.0)};     ///< c
  Scheme scheme = Scheme::central;
  std::string called = "advection";  ///< section of the deck that messages name
  double scale = 1;                  ///< of implicit steps: (weight of the new time) * step
  double mass = 0;
};

/// One row of the operator, integrated over its cell.
struct Row {
  std::array<double, 7>
      weights{};            ///< of the cell, then of west, east, south, north, bottom and top; zero beyond walls
  double peclet = 0;        ///< largest |v| distance / k of the faces between cells; infinite where k is 0
  double rate = 0;          ///< 1 / the longest step that explicit Euler is stable with, see Discretisation; no scale
  double left_over = 0;     ///< what flows out to other cells and not in from them, volume / time
  double flow_through = 0;  ///< the largest |area v . n| of these faces, volume / time
};

/// Finite volumes. Through each face, n pointing outwards, go area (v . n) (u_face - u) of advection, which is
/// v . grad u once div v u - u div v is taken together, so that constants stay constant in any flow; and
/// -area k du/dn of diffusion by the two cells next to it. At a wall a u + b du/dn = value the two are made of the
/// value that the condition gives to u there, with u linear between wall and cell (Ferziger and Perić, Computational
/// Methods for Fluid Dynamics, 3rd edition, chapter 4).
///
/// Explicit Euler is stable by steps of 1 / rate: in the maximum norm with `upwind`, whose rows are diagonally
/// dominant, by Gershgorin's circles. With `central` it is the bound of Hindmarsh, Gresho and Griffiths (1984,
/// International Journal for Numerical Methods in Fluids 4) with the coefficients of each cell: along each axis the
/// larger of 2 k / width^2 and v^2 / (2 k), added up over the axes.
class Discretisation {
 public:
  /// Throws InputError for conditions that say nothing of a wall, see control_volumes.
  explicit Discretisation(Description description);

  [[nodiscard]] Description const& description() const { return description_; }
  [[nodiscard]] ControlVolumeGrid const& grid() const { return grid_; }
  /// Of the cell with this global index. Throws InputError, naming the place, for a velocity or reaction that is no
  /// finite number, and for a diffusivity that is not above 0.
  [[nodiscard]] Row row(Extents const& cell) const;
  /// What multiplies the value of a wall on the right-hand side of the cell beside it; without `scale`.
  [[nodiscard]] double wall_weight(int axis, int side, Extents const& cell) const;
  /// What the values of all walls beside the cell add to its right-hand side, if they do not change with time. Throws
  /// InputError, naming the place, for one that is no finite number.
  [[nodiscard]] double wall_source(Extents const& cell) const;

 private:
  /// Between a cell and its neighbour, or the wall.
  struct Face {
    std::array<double, 3> at{};
    double area = 1;
    double outflow = 0;  ///< v . n
    double k = 0;
    Wall const* wall = nullptr;  ///< null between cells
  };
  /// What the rate of a central scheme is made of, each times the volume.
  struct Rates {
    std::array<double, 3> diffusion{};  ///< along each axis: the diagonal, and what neighbours get
    std::array<double, 3> advection{};  ///< along each axis: v^2 / k
    double reaction = 0;                ///< what advection and reaction have on the diagonal
  };
  [[nodiscard]] Face face(int axis, int side, Extents const& cell) const;
  [[nodiscard]] double wall_weight(Face const& face) const;
  void add_face(int axis, int side, Extents const& cell, Row& row, Rates& rates) const;
  [[nodiscard]] double value(PointValues const& given, char const* option, std::array<double, 3> const& at) const;

  Description description_;
  ControlVolumeGrid grid_;
};

}  // namespace halocline::advection
