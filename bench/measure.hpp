#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/benchmark.hpp"
#include "bench/timing.hpp"
#include "framework/kernel/portable.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/operator/vector_functors.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

// Shared by the kernel benchmarks: random arrays, their comparison, both forms of a sweep, and texts.

namespace halocline::benchmarking {

/// A seed that no earlier run has used.
[[nodiscard]] std::uint64_t fresh_seed();

/// Numbers in [-1, 1), computed from the index and a seed.
template <class Real>
struct FillRandomly {
  Real* values;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    values[n] = static_cast<Real>(vector_functor::uniform(seed + (n + 1) * 0x9e3779b97f4a7c15U));
  }
};

/// Values of a block in the layout of a Field, with rows aligned to cache lines; initially random.
template <class Real>
class Array {
 public:
  /// `dimensions`: number of axes with ghosts.
  Array(Extents const& owned, Index ghosts, int dimensions) {
    Index const line = 64 / static_cast<Index>(sizeof(Real));
    std::array<Index, 3> halo{};
    for (std::size_t axis = 0; axis < 3; ++axis) halo[axis] = static_cast<int>(axis) < dimensions ? ghosts : 0;
    Index const lead = (halo[0] + line - 1) / line * line;
    Index const row = lead + (owned[0] + halo[0] + line - 1) / line * line;
    Index const plane = row * (owned[1] + 2 * halo[1]);
    values_ = Kokkos::View<Real*, Memory>(Kokkos::view_alloc("benchmark", Kokkos::WithoutInitializing),
                                          static_cast<std::size_t>(plane * (owned[2] + 2 * halo[2])));
    view_ = {values_.data() + lead + halo[1] * row + halo[2] * plane, row, plane};
    fill(fresh_seed());
  }
  explicit Array(Extents const& owned) : Array(owned, 0, 0) {}

  /// Arrays of the same layout and seed are equal.
  void fill(std::uint64_t seed) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution>(0, values_.extent(0)),
                         FillRandomly<Real>{values_.data(), seed});
  }
  [[nodiscard]] BlockView<Real> view() const { return view_; }

 private:
  Kokkos::View<Real*, Memory> values_;
  BlockView<Real> view_;
};

/// Counts the entries of a block whose values differ, NaNs included.
template <class Real>
struct CountDifferences {
  BlockView<Real> a, b;
  Index extent_x, extent_y;
  KOKKOS_FUNCTION void operator()(Index n, Index& count) const {
    Index const i = n % extent_x;
    Index const j = n / extent_x % extent_y;
    Index const k = n / (extent_x * extent_y);
    if (!(a(i, j, k) == b(i, j, k))) ++count;
  }
};

/// Throws DefectError with the name of the problem if the arrays differ.
template <class Real>
void throw_unless_equal(std::string const& problem, Array<Real> const& values, Array<Real> const& expected,
                        Extents const& extents) {
  Index const points = extents[0] * extents[1] * extents[2];
  Index wrong = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, points),
                          CountDifferences<Real>{values.view(), expected.view(), extents[0], extents[1]}, wrong);
  if (wrong > 0) {
    throw DefectError(problem + ": " + std::to_string(wrong) + " values are not those of the portable form");
  }
}

/// Sums alternate between two buffers, as in iterations: no sweep waits for the previous one.
class SumsInTurn {
 public:
  [[nodiscard]] Reduction<Execution>& next() { return places_[turn_ ^= 1]; }
  [[nodiscard]] Reduction<Execution>& last() { return places_[turn_]; }

 private:
  Reduction<Execution> places_[2];
  int turn_ = 0;
};

template <class Task>
void run_portably(IndexRange const& range, Task const& task, Reduction<Execution>& sums) {
  if constexpr (Task::sums > 0) {
    kernel::sweep_reduce_portably(Execution{}, range, task, sums);
  } else {
    kernel::sweep_portably(Execution{}, range, task);
  }
}
template <class Task>
void run_specialised(IndexRange const& range, Task const& task, Reduction<Execution>& sums) {
  if constexpr (Task::sums > 0) {
    kernel::run(Execution{}, range, task, sums);
  } else {
    kernel::run(Execution{}, range, task);
  }
}

template <class Task>
std::string form_of([[maybe_unused]] IndexRange const& range, [[maybe_unused]] Task const& task) {
#if defined(KOKKOS_ENABLE_CUDA)
  return kernel::cuda::form_of<Task, PlainSum>(range, task);
#elif defined(HALOCLINE_KERNEL_DEVICE)
  return kernel::is_tiled<Task>(range) ? "tiled" : "portable";
#else
  return "vectorised rows";
#endif
}

/// "7-point Laplacian, double, 512 x 512 x 512"
template <class Real>
[[nodiscard]] std::string problem_of(std::string const& what, Extents const& extents) {
  std::string text = what + (sizeof(Real) == 4 ? ", single, " : ", double, ") + std::to_string(extents[0]);
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (extents[axis] > 1) text += " x " + std::to_string(extents[axis]);
  }
  return text;
}

/// One of several implementations of a problem.
struct Form {
  std::string words;
  std::function<void()> enqueue;
};

/// One row per form: `verify(form, what)` runs it once and throws DefectError if the result is wrong; then it is timed.
/// The copy is timed later by `with_copy`, when the arrays are freed, since it needs as much memory.
template <class AForm, class Verify>
[[nodiscard]] std::vector<Row> time_forms(Row row, std::vector<AForm> const& forms, int repetitions,
                                          Verify const& verify) {
  std::vector<Row> rows;
  for (AForm const& form : forms) {
    verify(form, row.problem + ", " + form.words);
    row.form = form.words;
    row.seconds = time_each(form.enqueue, repetitions);
    rows.push_back(row);
  }
  return rows;
}
[[nodiscard]] std::vector<Row> with_copy(std::vector<Row> rows, int repetitions);

/// The entries along an axis of a problem with this many dimensions: those requested, else `usual`. Throws InputError
/// for more than fit into any memory.
[[nodiscard]] std::vector<Index> sizes(Options const& options, int dimensions, std::vector<Index> const& usual);
/// The same with different sizes on hosts and devices.
[[nodiscard]] std::vector<Index> sizes(Options const& options, int dimensions, std::vector<Index> const& host,
                                       std::vector<Index> const& device);

}  // namespace halocline::benchmarking
