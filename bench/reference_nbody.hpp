#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::benchmarking {

/// An attraction by 300 blocks of 256 threads, each with one body at a time; the block brings 256 sources at a time to
/// shared memory. `adds` is not looked at.
void attract_by_tiles(Execution const& execution, nbody::Attraction<float> const& attraction);

}  // namespace halocline::benchmarking
