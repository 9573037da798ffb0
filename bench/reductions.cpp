#include "bench/reductions.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bench/measure.hpp"
#include "bench/reduction_bodies.hpp"
#include "framework/operator/vector_functors.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "bench/cuda_reduction_bodies.hpp"
#include "framework/kernel/cuda/graph.hpp"
#endif

namespace halocline::benchmarking {
namespace {

using reduce::Body;
using reduce::Segments;
using Array = Kokkos::View<float*, Memory>;
using Summation = std::unique_ptr<reduce::Summation<float>>;

constexpr bool on_host = kernel::is_host<Execution>;

/// Integers from -4 to 4: their sums stay far below 2^24, so they are exact in single precision in any order, and every
/// body must give the same result.
struct FillWithWholeNumbers {
  Array values;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    double const uniform = vector_functor::uniform(seed + (n + 1) * 0x9e3779b97f4a7c15U);
    values(n) = static_cast<float>(Kokkos::floor(4.5 * (uniform + 1)) - 4);
  }
};

[[nodiscard]] Array random_array(Index count) {
  Array values(Kokkos::view_alloc("reduced", Kokkos::WithoutInitializing), static_cast<std::size_t>(count));
  Kokkos::parallel_for(Kokkos::RangePolicy<Execution>(0, values.extent(0)), FillWithWholeNumbers{values, fresh_seed()});
  return values;
}

/// One problem: the sums of all segments of an array, with reference values from the portable form.
class Problem {
 public:
  explicit Problem(Segments const& segments)
      : segments_(segments),
        values_(random_array(segments.count * segments.length)),
        name_(std::string(segments.count == 1 ? "sum" : "segmented sum") + ", single, " +
              (segments.count == 1 ? "" : std::to_string(segments.count) + " x ") + std::to_string(segments.length)) {
    Summation const portable = make(Body::portable);
    portable->enqueue(values_.data());
    expected_ = portable->values();
  }
  [[nodiscard]] float const* values() const { return values_.data(); }
  [[nodiscard]] double bytes() const { return static_cast<double>(values_.extent(0)) * sizeof(float); }
  [[nodiscard]] std::string const& name() const { return name_; }

  [[nodiscard]] Summation make(Body body, Execution const& execution = {}) const {
    return reduce::make_summation<Execution, float>(execution, body, segments_);
  }
  /// Throws DefectError if a body gives other sums.
  void check(reduce::Summation<float> const& summation, std::string const& body) const {
    auto const sums = summation.values();
    for (std::size_t n = 0; n < expected_.size(); ++n) {
      if (!(sums.at(n) == expected_[n])) {
        throw DefectError(name_ + ": " + body + " finds " + std::to_string(sums[n]) + ", not " +
                          std::to_string(expected_[n]) + " in segment " + std::to_string(n));
      }
    }
  }

 private:
  Segments segments_;
  Array values_;
  std::string name_;
  std::vector<double> expected_;
};

/// Sorted seconds of one sum by a body, whose result is checked first.
[[nodiscard]] std::vector<double> seconds_of(Problem const& problem, Body body, Options const& options) {
  Summation const summation = problem.make(body);
  summation->enqueue(problem.values());
  problem.check(*summation, reduce::name_of(body));
  return time_each([&] { summation->enqueue(problem.values()); }, options.repetitions);
}

[[nodiscard]] Row row_of(Problem const& problem, std::string const& body, std::vector<double> const& seconds) {
  Row row;
  row.problem = problem.name();
  row.form = body;
  row.bytes = problem.bytes();
  row.seconds = seconds;
  return row;
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Sorted seconds per sum for a graph of many sums.
[[nodiscard]] std::vector<double> seconds_in_a_row(Problem const& problem, Body body, Options const& options) {
  constexpr int in_a_row = 100;
  kernel::cuda::OwnStream const stream;
  Execution const execution(stream.get());
  Summation const summation = problem.make(body, execution);
  auto const enqueue = [&] { summation->enqueue(problem.values()); };
  enqueue();
  problem.check(*summation, reduce::name_of(body));
  kernel::cuda::Graph const graph(stream.get(), [&] {
    for (int n = 0; n < in_a_row; ++n) enqueue();
  });
  auto seconds = time_each([&] { graph.launch(Execution{}.cuda_stream()); }, options.repetitions);
  Execution{}.fence("halocline: sums in a graph");
  problem.check(*summation, reduce::name_of(body));
  for (double& one : seconds) one /= in_a_row;
  return seconds;
}
#else
[[nodiscard]] std::vector<double> seconds_in_a_row(Problem const& problem, Body body, Options const& options) {
  return seconds_of(problem, body, options);
}
#endif

/// Rows of all bodies, with the time of a copy of as many bytes, and of cub::DeviceReduce if available.
template <class Measure>
void append_bodies(std::vector<Row>& rows, Segments const& segments, Options const& options, Measure const& measure) {
  std::size_t const first = rows.size();
  double bytes = 0;
  {
    Problem const problem(segments);
    bytes = problem.bytes();
    for (Body const body : reduce::bodies<Execution>(segments)) {
      rows.push_back(row_of(problem, reduce::name_of(body), measure(problem, body, options)));
    }
  }
  double const copy_seconds = fastest_copy(static_cast<Index>(bytes), options.repetitions);
  for (std::size_t n = first; n < rows.size(); ++n) rows[n].copy_seconds = copy_seconds;
}

/// Compares the rows from `first` on, which are of one problem, with the row by CUB, if there is one.
void compare_with_cub(std::vector<Row>& rows, std::size_t first, char const* name) {
  auto const begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
  auto const by_cub =
      std::find_if(begin, rows.end(), [](Row const& row) { return row.form == reduce::name_of(Body::cub); });
  if (by_cub == rows.end()) return;
  Peer const peer{name, median(by_cub->seconds)};
  std::for_each(begin, rows.end(), [&](Row& row) { row.peer = peer; });
}

/// Segments of a large array: the requested number, of equal size.
[[nodiscard]] Segments segments_of(Options const& options) {
  constexpr Index largest = Index{1} << 20U;
  if (options.size > largest) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest) +
                     " segments of as many values");
  }
  return options.size > 0 ? Segments{options.size, options.size}
         : on_host        ? Segments{256, 262144}
                          : Segments{2048, 262144};
}

}  // namespace

std::vector<Row> reductions(Options const& options) {
  Segments const segments = segments_of(options);
  std::vector<Row> rows;
  auto const measure = [](Problem const& problem, Body body, Options const& how) {
    return seconds_of(problem, body, how);
  };
  append_bodies(rows, {1, segments.count * segments.length}, options, measure);
  compare_with_cub(rows, 0, "cub::DeviceReduce");
  std::size_t const first_of_segments = rows.size();
  if (segments.count > 1) append_bodies(rows, segments, options, measure);
  compare_with_cub(rows, first_of_segments, "cub::DeviceSegmentedReduce");
  return rows;
}

std::vector<Row> small_reductions(Options const& options) {
  constexpr Index largest = Index{1} << 30U;
  if (options.size > largest) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest) + " values");
  }
  std::vector<Row> rows;
  for (Index const count : options.size > 0 ? std::vector<Index>{options.size} : std::vector<Index>{1024, 16384}) {
    std::size_t const first = rows.size();
    append_bodies(rows, {1, count}, options, [](Problem const& problem, Body body, Options const& how) {
      return seconds_in_a_row(problem, body, how);
    });
    compare_with_cub(rows, first, "cub::DeviceReduce");
  }
  return rows;
}

#if defined(KOKKOS_ENABLE_CUDA)
std::vector<Row> reduction_grids(Options const& options) {
  Segments const segments = segments_of(options);
  Index const count = segments.count * segments.length;
  std::vector<Row> rows;
  {
    Problem const problem({1, count});
    int const most = reduce::cuda::most_cooperative_blocks();
    for (int blocks = 1; blocks <= most; blocks = blocks < most ? std::min(2 * blocks, most) : most + 1) {
      std::string const form =
          "cooperative, " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " a multiprocessor";
      Summation const summation = reduce::cuda::make_cooperative_summation({}, count, blocks);
      summation->enqueue(problem.values());
      problem.check(*summation, form);
      rows.push_back(
          row_of(problem, form, time_each([&] { summation->enqueue(problem.values()); }, options.repetitions)));
      auto const launches =
          time_each([&] { reduce::cuda::enqueue_without_sum({}, count, blocks); }, options.repetitions);
      rows.back().peer = {"launch and barriers alone", median(launches)};
    }
  }
  return with_copy(std::move(rows), options.repetitions);
}
#endif

}  // namespace halocline::benchmarking
