#pragma once

#include <vector>

#include "physics/nbody/attraction.hpp"

namespace halocline::benchmarking {

/// An attraction by 300 blocks of 256 threads, each thread with one body at a time; a block loads 256 sources at a time
/// into shared memory. `adds` is ignored.
void attract_by_tiles(Execution const& execution, nbody::Attraction<float> const& attraction);
/// The same as printed in The CUDA Handbook, listing 9-3: the loop over tiles is unrolled 32 times, not the loop over
/// the sources of a tile, and the number of threads is known at run time only.
void attract_as_listed(Execution const& execution, nbody::Attraction<float> const& attraction);

/// All accelerations of some bodies by several devices, each with a part of the targets, which one thread drives in
/// three loops (listing 9-4 there): copies to the devices; kernels and copies back; waits. All on the default streams.
class AttractionFromHost {
 public:
  AttractionFromHost(std::vector<int> devices, std::vector<nbody::Source<float>> const& bodies, float softening);
  ~AttractionFromHost();
  AttractionFromHost(AttractionFromHost const&) = delete;
  AttractionFromHost& operator=(AttractionFromHost const&) = delete;

  /// Seconds of a run. With `allocates` the first loop also allocates the devices' memory, which is freed after the
  /// clock was read; otherwise it is allocated before.
  [[nodiscard]] double run(bool allocates);
  /// What the last run computed: x of all bodies, then y, then z.
  [[nodiscard]] std::vector<float> accelerations() const;

 private:
  struct Part;
  void release();

  std::vector<Part> parts_;
  Index count_;
  float softening_;
  nbody::Source<float>* bodies_ = nullptr;  ///< pinned, as is the next
  float* accelerations_ = nullptr;
};

}  // namespace halocline::benchmarking
