#include <memory>

#include "framework/field/boundary_section.hpp"
#include "framework/grid/uniform_faces.hpp"
#include "framework/multigrid/elliptic_operator.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/equations/stationary_problem.hpp"

namespace {

using namespace halocline;

/// -div(D grad u) at one point of a plane, integrated over its cell, with D = (xx xy; xy yy).
struct FullTensor {
  static constexpr Shape shape = box<1, 2>;
  UniformFaces<double> faces;
  double xx, xy, yy;

  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const& at, U const& u) const {
    constexpr Offset<-1, -1> south_west{};
    constexpr Offset<1, -1> south_east{};
    constexpr Offset<-1, 1> north_west{};
    constexpr Offset<1, 1> north_east{};
    double const along_x = faces.lower(at, 0) * (u[here] - u[west]) + faces.upper(at, 0) * (u[here] - u[east]);
    double const along_y = faces.lower(at, 1) * (u[here] - u[south]) + faces.upper(at, 1) * (u[here] - u[north]);
    // 2 xy d2u/dxdy from the four corners, times the cell's area; the spacings of both differences cancel against it.
    double const across = (u[north_east] - u[north_west]) - (u[south_east] - u[south_west]);
    return xx * along_x + yy * along_y - xy / 2 * across;
  }
};

class Tensor final : public StationaryProblem<double> {
 public:
  Tensor(PhysicsContext const& context, Options const& own, BoundaryConditions const& walls,
         ControlVolumeGrid const& grid)
      : StationaryProblem(
            context, own, grid, walls,
            make_elliptic_operator<double, FullTensor, 0>(
                {.grid = grid, .functor_on = [own](ControlVolumeGrid const& any) {
                   return FullTensor{uniform_faces<double>(any), own.real("xx"), own.real("xy"), own.real("yy")};
                 }})) {}
};

std::unique_ptr<Physics> create(PhysicsContext const& context) {
  Options const own = context.deck.section("tensor");
  BoundaryConditions const walls = make_boundary_conditions(own.section("boundary"), *context.mesh);
  return std::make_unique<Tensor>(context, own, walls, control_volume_grid(context.mesh, Centring::cell, walls));
}

PhysicsEntry tensor() {
  Section options("tensor", "-div(D grad u) = source in a plane, D a full tensor.");
  options.real("xx", "D along x.").defaults_to(1.0).above(0);
  options.real("xy", "D across; its square is below xx yy.").defaults_to(0.5);
  options.real("yy", "D along y.").defaults_to(1.0).above(0);
  declare_stationary_problem(options);
  return {.name = "tensor",
          .sentence = options.sentence(),
          .options = std::move(options),
          .time_dependence = TimeDependence::stationary,
          .precisions = {Precision::double_},
          .dimensions = {2},
          .create = create};
}

}  // namespace

HALOCLINE_PLUGIN(tensor);
