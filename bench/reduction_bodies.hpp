#pragma once

#include <memory>
#include <vector>

#include "framework/kernel/reduce.hpp"

// Other implementations of sums, for comparison: those of libraries, and those with CUDA's cooperative groups. They add
// in the precision of the values.

namespace halocline::reduce {

enum class Body {
  specialised,            ///< reduce::of_values and reduce::of_segments
  portable,               ///< the same by kernels for any execution space
  cub,                    ///< cub::DeviceReduce for one segment, cub::DeviceSegmentedReduce for several
  batched_shared,         ///< several segments, one block each; a tree in shared memory over its threads' sums
  batched_warp,           ///< likewise, by shuffles within warps, then in shared memory
  batched_tile,           ///< likewise, by a tree in shared memory of a static tile of all threads
  plain_shared,           ///< as batched_shared without cooperative groups: by __syncthreads
  plain_warp,             ///< as batched_warp without cooperative groups: by __shfl_down_sync and __syncthreads
  iterated,               ///< one segment: batched sums of its parts, of their sums, …, one launch each
  cooperative_one_block,  ///< one segment: the same in one cooperative launch, one block per multiprocessor
  cooperative_filled      ///< one segment: likewise, with as many blocks as are resident
};

/// A description of the body.
[[nodiscard]] char const* name_of(Body body);

/// The bodies that this build has for this many segments.
template <class Execution>
[[nodiscard]] std::vector<Body> bodies(Segments const& segments);

/// Sums of segments of equal size by one body; holds the memory for that.
template <class Real>
class Summation {
 public:
  virtual ~Summation() = default;
  /// Enqueues the sums of all segments, the first of which starts at `values`, and returns. Can be captured into a CUDA
  /// graph.
  virtual void enqueue(Real const* values) = 0;
  /// The sums of all segments. Waits for them.
  [[nodiscard]] virtual std::vector<double> values() const = 0;
};

/// Allocates all memory. Throws DefectError for negative numbers and for a body that `bodies` does not list.
template <class Execution, class Real>
[[nodiscard]] std::unique_ptr<Summation<Real>> make_summation(Execution const& execution, Body body,
                                                              Segments const& segments);

}  // namespace halocline::reduce
