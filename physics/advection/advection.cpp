#include "framework/plugin/plugin.hpp"
#include "physics/equations/equations.hpp"

namespace halocline::advection {
namespace {

PhysicsEntry advection_physics() {
  Equations advection("advection",
                      "Advection, diffusion and reaction, du/dt + v . grad u - div(k grad u) + c u = source; steady "
                      "(du/dt = 0) without a section `time`.");
  advection.transport().usual_walls(BoundaryKind::dirichlet);
  advection.only_field("u", "Initial values of u; the initial guess in steady runs.", "0");
  advection.mean("u").magnitude("u").peclet("u").integral("u").conserves("u");
  return advection.transported();
}

}  // namespace
}  // namespace halocline::advection

HALOCLINE_PLUGIN(halocline::advection::advection_physics);
