#pragma once

#include <string>
#include <vector>

#include "bench/benchmark.hpp"

namespace halocline::benchmarking {

/// The 3-point Jacobi sweep by two kernels with one thread per point, in which all threads, or the first thread of
/// every block, add to a single-precision sum of squared changes; compared with a sweep. Only on NVIDIA's GPUs.
[[nodiscard]] std::vector<Row> reference_jacobi_1d(Options const& options);

/// The kernel whose sum of squared changes an iteration uses.
enum class JacobiSum { atomic_of_threads, block_reduce };

/// Jacobi's iteration of a line whose end points are 5 and 10 and whose other points are 0 at first, until the root
/// mean square of a change is at most 1e-4, 1000 iterations at most.
struct JacobiRun {
  std::vector<float> changes;  ///< the root mean square, of every iteration
  bool converged = false;
  double seconds = 0;  ///< of an iteration, with the copy of its norm to the host
};
[[nodiscard]] JacobiRun run_jacobi(JacobiSum sum, Index points);
/// A line for every tenth change, and one for the outcome.
[[nodiscard]] std::string to_string(JacobiRun const& run);

}  // namespace halocline::benchmarking
