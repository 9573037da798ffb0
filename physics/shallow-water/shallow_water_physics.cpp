#include <halocline/physics.hpp>

#include "physics/shallow-water/shallow_water.hpp"

namespace halocline {

PhysicsEntry shallow_water_physics() {
  Equations equations("shallow-water", "The shallow-water equations over a bathymetry that may rise above the water.");
  Section& own = equations.options();
  own.real("gravity", "Acceleration of gravity.").above(0).defaults_to(9.81);
  own.real("dry_depth", "Depth below which the velocity goes to zero with the depth.").above(0).defaults_to(1e-6);
  std::string const surface = "Height of the surface, given instead of the depth; dry where the bathymetry is higher.";
  equations.conserved_field("depth", "Depth of the water.", {"depth", "Depth of the water.", "1", "surface", surface});
  equations.balanced_field("bathymetry", "Height of the bottom.",
                           {.name = "bathymetry", .sentence = "Height of the bottom.", .initial = "0", .flows = false});
  equations.balanced_field("momentum_x", "Depth times velocity along x.", {"velocity_x", "Velocity along x.", "0"});
  equations.balanced_field("momentum_y", "Depth times velocity along y.", {"velocity_y", "Velocity along y.", "0"});
  equations.wall("discharge",
                 "the depth beyond the face follows from the given discharge and the waves that leave; water enters no "
                 "faster than waves, along the normal of the face.",
                 {},
                 {{"discharge", "Depth times velocity along the axis of the face, positive towards its upper end."}});
  equations.wall("stage",
                 "the velocity beyond the face follows from the given height of the surface and the waves that leave; "
                 "water that leaves faster than waves is free to do so.",
                 {"surface"});
  equations.minimum("depth").maximum("depth");
  equations.integrator("ssp_rk2");
  return equations.law<ShallowWater, 1, 2>();
}

}  // namespace halocline
