#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/operator.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

class EntryPositions;
template <class Real>
class Field;

/// The conductivity of a face between two unknowns.
enum class FaceMean {
  harmonic,   ///< harmonic_mean: layers in series, the flux is continuous across a jump
  arithmetic  ///< arithmetic_mean
};

/// A u = mass * m u + conductivity * (-div(k grad u)), integrated over the control volumes of cells or nodes: finite
/// volumes of second order with two-point fluxes; on nodes also the finite-difference operator times the volume. The
/// linear part of the boundary conditions is included, so that A is symmetric positive definite if mass > 0 or some
/// wall fixes u.
struct DiffusionDescription {
  std::shared_ptr<StructuredMesh const> mesh;
  Centring centring = Centring::cell;  ///< cell or node
  BoundaryConditions conditions{};     ///< dirichlet, neumann, robin, reflecting; periodic as the mesh is
  double conductivity = 1;             ///< for implicit time steps: (weight of the new time) * step
  double mass = 0;
};

/// Variable coefficients, with the description's centring, set on all owned entries and, towards other blocks, on one
/// layer of ghosts. Null: 1 everywhere.
template <class Real>
struct DiffusionMaterial {
  Field<Real> const* conductivity = nullptr;  ///< k
  Field<Real> const* mass = nullptr;          ///< m
  FaceMean mean = FaceMean::harmonic;
};

/// The operator, which can coarsen itself. It acts on vectors of the unknowns: fields of one component and one ghost
/// layer that is zero beyond the walls; nodes on Dirichlet walls are not unknowns. Without a material on a uniform mesh
/// it stores no coefficients. `material` may be destroyed afterwards. Collective.
/// Throws InputError for conditions that make A indefinite, do not determine the value at a wall or are those of a wall
/// on a periodic axis (see control_volumes), and for a mass or conductivity that is negative or not finite.
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_diffusion(DiffusionDescription const& description,
                                                       DiffusionMaterial<Real> const& material = {});

/// Divided by v: what a wall with a u + b du/dn = v at distance d adds to the right-hand side of the unknown beside it.
///
/// \param unknown global index
using WallWeight = std::function<double(int axis, int side, Extents const& unknown)>;

/// What the values of the boundary conditions add to a right-hand side: `weight` times v on the unknowns beside a wall
/// with a u + b du/dn = v.
template <class Real>
class BoundarySource {
 public:
  /// For A: the weight is conductivity * k area / (a d + b). Throws InputError, naming the position, for a value that
  /// is not finite; so does `add`, at its time.
  explicit BoundarySource(DiffusionDescription const& description, DiffusionMaterial<Real> const& material = {});
  /// For any other operator on these unknowns.
  BoundarySource(ControlVolumeGrid grid, BoundaryConditions const& conditions, WallWeight const& weight);

  /// b = b + factor * source(time), on the unknowns beside walls, for one component of b's field.
  void add(double time, double factor, Vector& b, int component = 0) const;

 private:
  /// The unknowns of a block beside one wall.
  struct Part {
    Block const& block;
    int axis;
    int side;
    IndexRange box;  ///< one thick
    Expression value;
    double evaluated_at;                    ///< NaN: not evaluated yet
    Kokkos::View<double*, Memory> weights;  ///< in double precision, which products with a factor need
    Kokkos::View<Real*, Memory> values;
    std::shared_ptr<EntryPositions const> places;  ///< null before values are evaluated
  };
  /// Fills the weights of the unknowns of `box`, in the box's order, beside one wall of the block.
  using FillWeights = std::function<void(Block const& block, int axis, int side, IndexRange const& box,
                                         Kokkos::View<double*, Memory> const& weights)>;
  void add_walls(BoundaryConditions const& conditions, FillWeights const& fill);
  void add_wall(BoundaryCondition const& condition, Block const& block, int axis, int side, FillWeights const& fill);
  void evaluate(Part& part, double time) const;

  ControlVolumeGrid grid_;
  mutable std::vector<Part> parts_;
};

}  // namespace halocline
