#include "physics/euler/euler.hpp"

#include <halocline/physics.hpp>

namespace halocline {

PhysicsEntry euler_physics() {
  Equations equations("euler",
                      "The Euler equations of an ideal gas: a compressible flow without viscosity, with shocks.");
  equations.options().real("gamma", "Ratio of the specific heats.").above(1).defaults_to(1.4);
  equations.conserved_field("density", "Mass by volume.", {"density", "Mass by volume.", "1"});
  equations.conserved_field("energy", "Inner and kinetic energy by volume.", {"pressure", "Pressure.", "1"});
  equations.conserved_field("momentum_x", "Along x, by volume.", {"velocity_x", "Velocity along x.", "0"});
  equations.conserved_field("momentum_y", "Along y, by volume.", {"velocity_y", "Velocity along y.", "0"});
  equations.conserved_field("momentum_z", "Along z, by volume.", {"velocity_z", "Velocity along z.", "0"});
  equations.wall("pressure_outflow", "what leaves slower than sound does so against the pressure beside it.",
                 {"pressure"});
  equations.minimum("density").maximum("density");
  equations.mirror_symmetric().axes_alike().vector({"momentum_x", "momentum_y", "momentum_z"});
  equations.integrator("ssp_rk2");
  return equations.law<Euler, 1, 2, 3>();
}

}  // namespace halocline
