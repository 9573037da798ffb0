#pragma once

#include <memory>
#include <vector>

#include "framework/kernel/reduce.hpp"

// Sums by other ways than ours, to be compared with: what libraries do, and what the cooperative groups of CUDA allow.
// Those add in the precision of the values.

namespace halocline::reduce {

enum class Body {
  specialised,            ///< what reduce::of_values and reduce::of_segments do
  portable,               ///< the same by kernels that every execution space has
  cub,                    ///< cub::DeviceReduce of one segment, cub::DeviceSegmentedReduce of several
  batched_shared,         ///< several segments, a block each; its threads' sums by a tree in shared memory
  batched_warp,           ///< likewise; by shuffles within warps, then in shared memory
  batched_tile,           ///< likewise; by a tree in shared memory of a static tile of all threads
  iterated,               ///< one segment: batched sums of parts of it, of their sums, …, a launch each
  cooperative_one_block,  ///< one segment: the same in one cooperative launch of one block a multiprocessor
  cooperative_filled      ///< one segment: likewise, as many blocks as the device holds at a time
};

/// The body in words.
[[nodiscard]] char const* name_of(Body body);

/// Those that this build has for so many segments.
template <class Execution>
[[nodiscard]] std::vector<Body> bodies(Segments const& segments);

/// Sums of segments of one size by one body, with the memory that takes.
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

/// Takes all the memory it needs. Throws DefectError for negative numbers and for a body that `bodies` does not name.
template <class Execution, class Real>
[[nodiscard]] std::unique_ptr<Summation<Real>> make_summation(Execution const& execution, Body body,
                                                              Segments const& segments);

}  // namespace halocline::reduce
