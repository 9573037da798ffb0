#include "physics/euler/euler.hpp"

#include <halocline/physics.hpp>

namespace halocline {

PhysicsEntry euler_physics() {
  Equations equations("euler",
                      "The Euler equations of an ideal gas: compressible flow without viscosity, with shocks.");
  equations.options().real("gamma", "Ratio of the specific heats.").above(1).defaults_to(1.4);
  equations.conserved_field("density", "Mass per volume.", {"density", "Mass per volume.", "1"});
  equations.conserved_field("energy", "Internal and kinetic energy per volume.", {"pressure", "Pressure.", "1"});
  equations.conserved_field("momentum_x", "Momentum along x per volume.", {"velocity_x", "Velocity along x.", "0"});
  equations.conserved_field("momentum_y", "Momentum along y per volume.", {"velocity_y", "Velocity along y.", "0"});
  equations.conserved_field("momentum_z", "Momentum along z per volume.", {"velocity_z", "Velocity along z.", "0"});
  equations.wall("pressure_outflow", "gas that leaves at subsonic speed does so against the given pressure.",
                 {"pressure"});
  equations.minimum("density").maximum("density");
  equations.mirror_symmetric().axes_alike().vector({"momentum_x", "momentum_y", "momentum_z"});
  equations.integrator("ssp_rk2");
  return equations.law<Euler, 1, 2, 3>();
}

}  // namespace halocline
