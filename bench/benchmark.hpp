#pragma once

#include <string>
#include <vector>

#include "framework/runtime/index.hpp"

// What `halocline bench` can measure. Every benchmark checks its result on fresh random data against the portable form
// before it is timed, and measures what a copy of as many bytes takes in the same process.

namespace halocline::benchmarking {

struct Options {
  Index size = 0;        ///< entries along an axis; 0: the sizes of the benchmark
  int repetitions = 15;  ///< of which the median counts
};

/// What another library takes for the same problem, measured in the same process.
struct Peer {
  std::string name;    ///< empty: there is none
  double seconds = 0;  ///< the median
};

/// What arithmetic bounds, and not memory.
struct Rate {
  std::string unit;            ///< "interactions"; empty: memory bounds the row
  double count = 0;            ///< of these in one run
  double most_per_second = 0;  ///< that the arithmetic units can issue; 0: not known
  double clock = 0;            ///< of the device during the runs, in hertz; 0: not known
};

/// One problem, measured.
struct Row {
  std::string problem;          ///< "7-point Laplacian, double, 512 x 512 x 512"
  std::string form;             ///< the path through the kernels that was taken
  double bytes = 0;             ///< that must be moved at least: each input read once, each output written once
  std::vector<double> seconds;  ///< of one run, sorted
  double copy_seconds = 0;      ///< of the fastest copy that moves as many bytes
  double operations = 0;        ///< of floating-point numbers
  bool in_memory = true;        ///< the memory of the device bounds it
  Peer peer;
  Rate rate;  ///< where there is one, bytes and copy_seconds are not used
};

struct Benchmark {
  std::string name;
  std::string sentence;
  /// Throws DefectError when a result is wrong. Null: this build lacks it, which takes one for CUDA; HIP has
  /// those of the Laplacian.
  std::vector<Row> (*run)(Options const& options);
};
[[nodiscard]] std::vector<Benchmark> const& benchmarks();

/// A number that a device tells of itself.
struct Fact {
  std::string name;
  double value;
};
[[nodiscard]] std::vector<Fact> device_facts();

/// What the memory could do at most, which bounds every row that does not fit the caches; 0: not known.
[[nodiscard]] double peak_bytes_per_second();

}  // namespace halocline::benchmarking
