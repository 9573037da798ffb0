#pragma once

#include <string>
#include <vector>

#include "framework/runtime/index.hpp"

// The benchmarks of `halocline bench`. Each checks its result against the portable form on fresh random data before it
// is timed, and measures a copy of as many bytes in the same process.

namespace halocline::benchmarking {

struct Options {
  Index size = 0;        ///< entries along an axis; 0: the sizes of the benchmark
  int repetitions = 15;  ///< the median is reported
};

/// Another library's time for the same problem, measured in the same process.
struct Peer {
  std::string name;    ///< empty: there is none
  double seconds = 0;  ///< the median
};

/// For benchmarks bound by arithmetic instead of memory.
struct Rate {
  std::string unit;            ///< "interactions"; empty: memory bounds the row
  double count = 0;            ///< number in one run
  double most_per_second = 0;  ///< peak of the arithmetic units; 0: unknown
  double clock = 0;            ///< of the device during the runs, in hertz; 0: unknown
};

/// The measurement of one problem.
struct Row {
  std::string problem;          ///< "7-point Laplacian, double, 512 x 512 x 512"
  std::string form;             ///< the path through the kernels
  double bytes = 0;             ///< minimum traffic: each input read once, each output written once
  std::vector<double> seconds;  ///< of one run, sorted
  double copy_seconds = 0;      ///< of the fastest copy that moves as many bytes
  double operations = 0;        ///< floating-point operations
  bool in_memory = true;        ///< bound by the device's memory
  Peer peer;
  Rate rate;  ///< if set, bytes and copy_seconds are not used
};

struct Benchmark {
  std::string name;
  std::string sentence;
  /// Throws DefectError if a result is wrong. Null: not in this build; it needs a CUDA build or, for the Laplacian, a
  /// HIP build.
  std::vector<Row> (*run)(Options const& options);
};
[[nodiscard]] std::vector<Benchmark> const& benchmarks();

/// A property that a device reports.
struct Fact {
  std::string name;
  double value;
};
[[nodiscard]] std::vector<Fact> device_facts();

/// Peak memory bandwidth, the bound of every row that does not fit into caches; 0: unknown.
[[nodiscard]] double peak_bytes_per_second();

}  // namespace halocline::benchmarking
