#pragma once

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/kernel/sweep.hpp"
#include "framework/kernel/test_sweeps.hpp"

// Shared by the tests of the forms for CUDA: a comparison of any form with the portable one.

namespace halocline::kernel_test {

/// Results of a sweep: all memory that it may write, and the sums.
template <class Real>
struct Outcome {
  std::vector<Real> fields;
  std::vector<double> sums;
};

inline std::string name(IndexRange const& range) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    text += std::to_string(range.begin[a]) + ".." + std::to_string(range.end[a]) + (axis < 2 ? " x " : "");
  }
  return text;
}

/// Both, one after the other.
template <class Real>
[[nodiscard]] std::vector<Real> joined(std::vector<Real> first, std::vector<Real> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Runs forms of one sweep, each with its own outputs. All must leave the bits of the portable form everywhere.
/// `setup(use)` makes the outputs and a task, calls `use(task)`, and returns all entries of the outputs.
template <class Real, class Accumulator, class Setup>
class Forms {
 public:
  Forms(IndexRange const& range, Setup const& setup) : range_(range), setup_(setup) {
    expected_ = run([&](auto const& task, auto& sums) {
      if constexpr (std::remove_cvref_t<decltype(task)>::sums > 0) {
        kernel::sweep_reduce_portably(space_, range_, task, sums);
      } else {
        kernel::sweep_portably(space_, range_, task);
      }
    });
  }

  void expect_direct() const {
    EXPECT_TRUE(expect("direct form", [&](auto const& task, auto const& reduction_tiles) {
      kernel::cuda::run_direct(space_.cuda_stream(), range_, task, reduction_tiles);
      return true;
    }));
  }

  /// Whether streaming with this tuning suits the range.
  bool expect_tiles(kernel::cuda::StreamTuning const& tuning) const {
    return expect("streaming by " + std::to_string(tuning.threads_x) + " x " + std::to_string(tuning.threads_y) +
                      " threads, " + std::to_string(tuning.ahead) + " ahead, " + std::to_string(tuning.planes) +
                      " planes, pace " + std::to_string(tuning.pace),
                  [&](auto const& task, auto const& reduction_tiles) {
                    using Task = std::remove_cvref_t<decltype(task)>;
                    return kernel::cuda::StreamSweep<Task, Accumulator>::run(space_.cuda_stream(), range_, task,
                                                                             reduction_tiles, &tuning);
                  });
  }

  void expect_line() const {
    EXPECT_TRUE(expect("streaming along x", [&](auto const& task, auto const& reduction_tiles) {
      using Task = std::remove_cvref_t<decltype(task)>;
      return kernel::cuda::LineSweep<Task, Accumulator>::run(space_.cuda_stream(), range_, task, reduction_tiles);
    })) << name(range_);
  }

 private:
  template <class Sweep>
  [[nodiscard]] Outcome<Real> run(Sweep const& sweep) const {
    Outcome<Real> outcome;
    outcome.fields = setup_([&](auto const& task) {
      using Task = std::remove_cvref_t<decltype(task)>;
      Reduction<Kokkos::Cuda, Accumulator> sums;
      sums.reserve(space_, Task::sums * room_, Task::sums);
      sweep(task, sums);
      space_.fence();
      for (int n = 0; n < Task::sums; ++n) outcome.sums.push_back(sums.value(n));
    });
    return outcome;
  }

  /// `sweep` returns whether anything was launched; if so, the results are compared.
  template <class Sweep>
  bool expect(std::string const& form, Sweep const& sweep) const {
    bool launched = false;
    Outcome<Real> const actual = run([&](auto const& task, auto& sums) {
      launched = sweep(task, kernel::cuda::ReductionTileSums<Accumulator>{sums.partials(), room_, sums.results()});
    });
    if (launched) {
      EXPECT_EQ(first_difference(expected_.fields, actual.fields), -1) << form << " of " << name(range_);
      EXPECT_EQ(first_difference(expected_.sums, actual.sums), -1) << form << " of " << name(range_);
    }
    return launched;
  }

  IndexRange range_;
  Setup const& setup_;
  Kokkos::Cuda space_{};
  Index room_ = kernel::reduction_tile_room(kernel::ReductionTiles(range_).total());
  Outcome<Real> expected_;
};

/// With more reduction tiles than one block merges, every launch gives the sums of the portable form.
template <class Task>
void expect_same_sums(IndexRange const& range, Task const& task) {
  ASSERT_GT(kernel::ReductionTiles(range).total(), kernel::most_at_once) << name(range);
  Kokkos::Cuda const space{};
  Reduction<Kokkos::Cuda> expected;
  kernel::sweep_reduce_portably(space, range, task, expected);
  Reduction<Kokkos::Cuda> actual;
  for (int run = 0; run < 5; ++run) {
    kernel::sweep_reduce_on_cuda(space, range, task, actual);
    for (int n = 0; n < Task::sums; ++n) {
      ASSERT_EQ(actual.value(n), expected.value(n)) << name(range) << ", sum " << n << ", run " << run;
    }
  }
}

/// A whole block, and an inner part with unaligned begin and end.
inline std::vector<IndexRange> ranges(Extents const& extents) {
  IndexRange inner{{0, 0, 0}, extents};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] > 5) inner.begin[axis] += 3, inner.end[axis] -= 2;
  }
  return {IndexRange{{0, 0, 0}, extents}, inner};
}

/// A line with many values on both sides of it.
template <class Real>
class TestLine {
 public:
  TestLine(Index end, int seed) : values_("line", static_cast<std::size_t>((end + 15) / 16 * 16 + 2 * margin)) {
    fill_with_numbers(values_, seed);
  }
  [[nodiscard]] BlockView<Real> view() const {
    auto const row = static_cast<Index>(values_.extent(0));
    return {values_.data() + margin, row, row};
  }
  [[nodiscard]] std::vector<Real> contents() const { return contents_of(values_); }

 private:
  static constexpr Index margin = 64;
  Kokkos::View<Real*, Kokkos::Cuda> values_;
};

/// Every point of a star on a line or in a plane, and the position; two sums.
template <class Real, int Radius, int Axes>
struct LowStarSum {
  static constexpr Shape shape = star<Radius, Axes>;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 2> operator()(P const& at, U const& u) const {
    Real value = sum(u, std::make_integer_sequence<int, Radius>()) + at.position(0);
    if constexpr (Axes > 1) value -= weight * at.position(1);
    return {{value}, {value, u[here] * u[here]}};
  }
  template <class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((weight * u[here]) + ... + pair<N + 1>(u));
  }
  template <int N, class U>
  KOKKOS_FUNCTION Real pair(U const& u) const {
    Real const first = u[along<0, N>] + Real{2} * u[along<0, -N>];
    if constexpr (Axes == 1) {
      return first;
    } else {
      return first + (u[along<1, N>] - u[along<1, -N>]);
    }
  }
};

/// Zero.
template <class Real>
struct Clear {
  static constexpr Shape shape = point;
  template <class P>
  KOKKOS_FUNCTION Real operator()(P const&) const {
    return 0;
  }
};

}  // namespace halocline::kernel_test
