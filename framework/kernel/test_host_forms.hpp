#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "framework/kernel/test_sweeps.hpp"

// Compares the host form of a sweep with the portable one, for tests in several sources, which compile in parallel.

namespace halocline::kernel_test {

[[nodiscard]] inline std::string name(Extents const& extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

[[nodiscard]] inline std::vector<kernel::HostTuning> tunings() {
  std::vector<kernel::HostTuning> all;
  for (int const workers : {1, 2, 3, 5}) {
    for (Index const tile_rows : {0, 1, 3}) {
      for (kernel::Stores const stores : {kernel::Stores::plain, kernel::Stores::streaming}) {
        for (kernel::Prefetch const prefetch : {kernel::Prefetch::off, kernel::Prefetch::on}) {
          all.push_back({workers, tile_rows, stores, prefetch});
        }
      }
    }
  }
  return all;
}

/// Runs the portable form once and the host form with every tuning, over all owned points and over a smaller range
/// inside. Outputs must agree to the bit, and nothing outside of the range may change.
template <class Real, int OutputCount, class Space, class Functor, class... Input>
void expect_same_fields(Space const& space, Extents const& extents, Functor const& functor, Input const&... input) {
  IndexRange inner{{0, 0, 0}, extents};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] > 2) ++inner.begin[axis], --inner.end[axis];
  }
  for (IndexRange const& range : {IndexRange{{0, 0, 0}, extents}, inner}) {
    auto const run = [&](auto const& sweep) {
      std::vector<TestBlock<Real, Space>> out;
      for (int n = 0; n < OutputCount; ++n) out.emplace_back(extents, 1, 100 + n, 3);
      auto const views = [&]<std::size_t... N>(std::index_sequence<N...>) { return outputs(out[N].view()...); }
      (std::make_index_sequence<OutputCount>());
      sweep(kernel::make_task(test_geometry<Real>(), views, functor, input.view()...));
      std::vector<Real> contents;
      for (auto const& block : out) {
        auto const values = block.contents();
        contents.insert(contents.end(), values.begin(), values.end());
      }
      return contents;
    };
    auto const expected = run([&](auto const& task) {
      kernel::sweep_portably(space, range, task);
      space.fence();
    });
    for (kernel::HostTuning const& tuning : tunings()) {
      auto const actual = run([&](auto const& task) { kernel::sweep_on_host(space, range, task, tuning); });
      ASSERT_EQ(first_difference(expected, actual), -1)
          << name(extents) << " from " << range.begin[0] << ", workers " << tuning.workers << ", tile "
          << tuning.tile_rows << (tuning.stores == kernel::Stores::streaming ? ", streaming" : ", plain")
          << (tuning.prefetch == kernel::Prefetch::on ? ", prefetching" : "");
    }
  }
}

/// Stencils that take minutes to compile, for which spaces do not differ.
template <class Real>
void check_wide_shapes() {
  using Space = Kokkos::DefaultHostExecutionSpace;
  for (Extents const& extents : {Extents{65, 17, 6}, Extents{31, 7, 11}}) {
    TestBlock<Real, Space> const u(extents, 4, 1);
    expect_same_fields<Real, 1>(Space{}, extents, StarSum<Real, 2>{Real{0.6875}}, u);
    expect_same_fields<Real, 1>(Space{}, extents, StarSum<Real, 3>{Real{0.6875}}, u);
    expect_same_fields<Real, 1>(Space{}, extents, FarBoxSum<Real, 2>{Real{0.3125}}, u);
    expect_same_fields<Real, 1>(Space{}, extents, FarBoxSum<Real, 3>{Real{0.3125}}, u);
    expect_same_fields<Real, 1>(Space{}, extents, FarBoxSum<Real, 4>{Real{0.3125}}, u);
    expect_same_fields<Real, 1>(Space{}, extents, FarBoxSum<Real, 4, 2>{Real{0.3125}}, u);
  }
}

}  // namespace halocline::kernel_test
