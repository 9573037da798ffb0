#include "physics/equations/equations.hpp"
#include "physics/wave/methods.hpp"
#include "physics/wave/star.hpp"

namespace halocline::wave {

PhysicsEntry weighted_sum() {
  Equations equations("wave", "The next u is a weighted sum over a star.");
  equations.usual_walls(BoundaryKind::zero).autonomous().only_field("u", "Initial values of u.").magnitude("u");
  return equations.evolution<WeightedSum, 1, 2, 3>();
}

}  // namespace halocline::wave
