#pragma once

#include "physics/nbody/attraction.hpp"

namespace halocline::benchmarking {

/// An attraction by 300 blocks of 256 threads, each thread with one body at a time; a block loads 256 sources at a time
/// into shared memory. `adds` is ignored.
void attract_by_tiles(Execution const& execution, nbody::Attraction<float> const& attraction);

}  // namespace halocline::benchmarking
