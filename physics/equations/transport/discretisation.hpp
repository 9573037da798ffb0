#pragma once

#include <array>
#include <memory>
#include <string>

#include "framework/field/boundary.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/io/field_values.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline::transport {

/// The value of u on a face between two cells.
enum class Scheme {
  central,  ///< interpolated: second order, but may oscillate where a cell's Péclet number is above 2
  upwind    ///< that of the cell the flow comes from: first order, never oscillates
};

/// The terms of an operator. IMEX methods solve for diffusion and take the others explicitly.
enum class Terms {
  all,
  diffusion,  ///< -div(k grad u)
  transport   ///< v . grad u + c u
};

/// mass u + scale (v . grad u - div(k grad u) + c u) on the cells of a mesh, or a part of that.
struct Description {
  std::shared_ptr<StructuredMesh const> mesh;
  BoundaryConditions conditions{};  ///< as control_volumes accepts them
  std::array<PointValues, 3> velocity{Expression(0.0), Expression(0.0), Expression(0.0)};
  PointValues diffusivity{Expression(1.0)};  ///< k, above 0 …
  bool may_lack_diffusion = false;           ///< … or 0, which `central` does not allow
  PointValues reaction{Expression(0.0)};     ///< c
  Scheme scheme = Scheme::central;
  Terms terms = Terms::all;
  std::string flow_called = "velocity";  ///< section of the deck, for messages
  std::string called = "transport";      ///< section with k and c
  double scale = 1;                      ///< of implicit steps: (weight of the new time) * step
  double mass = 0;
};

/// One row of the operator, integrated over its cell.
struct Row {
  std::array<double, 7> weights{};  ///< of the cell, west, east, south, north, bottom and top; zero beyond walls
  double peclet = 0;                ///< largest |v| distance / k of the faces between cells; infinite where k is 0
  double rate = 0;          ///< 1 / the longest stable step of explicit Euler, see Discretisation; without `scale`
  double left_over = 0;     ///< outflow to other cells minus inflow from them, volume / time
  double flow_through = 0;  ///< the largest |area v . n| of these faces, volume / time
};

/// Finite volumes. Through each face, with outward normal n, pass area (v . n) (u_face - u) by advection and
/// -area k du/dn by diffusion. The first form discretises v . grad u as div v u - u div v, so that constants stay
/// constant in any flow. Both fluxes use the two cells beside the face; at a wall a u + b du/dn = value they use the
/// value that the condition implies for u there, with u linear between wall and cell (Ferziger and Perić, Computational
/// Methods for Fluid Dynamics, 3rd edition, chapter 4). Between two cells k is the harmonic mean of their values, so
/// that the flux is right where k jumps on the face; at a wall it is the value there.
///
/// Explicit Euler is stable with steps up to 1 / rate. With `upwind`, whose rows are diagonally dominant, it is so in
/// the maximum norm, by Gershgorin's circles. With `central` the bound is that of Hindmarsh, Gresho and Griffiths
/// (1984, International Journal for Numerical Methods in Fluids 4) with each cell's coefficients: the larger of
/// 2 k / width^2 and v^2 / (2 k) along each axis, summed over the axes. For the terms `transport` the rate is that of
/// IMEX methods, which damp by implicit diffusion: with `upwind` that of these terms alone, with `central` 2.5 times
/// the sum of v^2 / (2 k). Let S be the step times that sum: by the inequality of Cauchy and Schwarz the eigenvalues of
/// transport and diffusion, times the step, are i y and -x with y^2 <= 2 S x, and the amplification of imex_ars222
/// (imex_ark3) is at most 1 for all such pairs up to S = 0.69 (0.76).
class Discretisation {
 public:
  /// Throws InputError for conditions that do not determine the value at a wall, see control_volumes.
  explicit Discretisation(Description description);

  [[nodiscard]] Description const& description() const { return description_; }
  [[nodiscard]] ControlVolumeGrid const& grid() const { return grid_; }
  /// The row of the cell with this global index. Throws InputError, naming the position, for a velocity or reaction
  /// that is not finite, and for a diffusivity that is not above 0.
  [[nodiscard]] Row row(Extents const& cell) const;
  /// The factor of a wall's value on the right-hand side of the cell beside it; without `scale`.
  [[nodiscard]] double wall_weight(int axis, int side, Extents const& cell) const;

 private:
  /// The face between a cell and its neighbour, or the wall.
  struct Face {
    std::array<double, 3> at{};
    double area = 1;
    double outflow = 0;          ///< v . n; zero without the terms `transport`
    double k = 0;                ///< set at walls
    Wall const* wall = nullptr;  ///< null between cells
  };
  /// Terms of the rate of a central scheme, each times the volume.
  struct Rates {
    std::array<double, 3> diffusion{};  ///< per axis: sum of the diagonal and the neighbours' weights
    std::array<double, 3> advection{};  ///< per axis: v^2 / k
    double reaction = 0;                ///< contribution of advection and reaction to the diagonal
  };
  [[nodiscard]] Face face(int axis, int side, Extents const& cell) const;
  [[nodiscard]] std::array<double, 3> centre(Extents const& cell) const;
  /// k at a position. Throws InputError for a value that is not finite, or not allowed.
  [[nodiscard]] double diffusivity(std::array<double, 3> const& at) const;
  /// Factor of the diffusive fluxes: 1, or 0 if they are left out.
  [[nodiscard]] double diffusive() const { return description_.terms == Terms::transport ? 0 : 1; }
  [[nodiscard]] double wall_weight(Face const& face) const;
  /// \param inside k of the cell
  void add_face(int axis, int side, Extents const& cell, double inside, Row& row, Rates& rates) const;

  Description description_;
  ControlVolumeGrid grid_;
};

}  // namespace halocline::transport
