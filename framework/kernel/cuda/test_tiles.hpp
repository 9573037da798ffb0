#pragma once

#include <utility>
#include <vector>

#include "framework/kernel/cuda/test_forms.hpp"

// Shared by the tests of sweeps by tiles: sizes, and tunings that must all leave the same bits.

namespace halocline::kernel_test {

/// Tunings in which every pair of choices occurs together.
inline std::vector<kernel::cuda::StreamTuning> stream_tunings() {
  using kernel::cuda::BlockOrder;
  std::vector<kernel::cuda::StreamTuning> all;
  int n = 0;
  for (auto const& [x, y] : std::vector<std::pair<int, int>>{{32, 4}, {32, 8}, {64, 4}, {128, 2}, {16, 16}}) {
    for (Index const planes : {0, 8, 16}) {
      all.push_back(
          {x, y, n % 2 == 0 ? 1 : 3, planes, n / 2 % 2 == 0 ? 0 : 2, static_cast<BlockOrder>((n / 3 + n) % 3)});
      ++n;
    }
  }
  return all;
}

/// Runs the direct form, and the streaming form with every tuning. Returns how many tunings suited the range.
template <class Real, class Accumulator, class Setup>
int expect_every_form(IndexRange const& range, Setup const& setup) {
  Forms<Real, Accumulator, Setup> const forms(range, setup);
  forms.expect_direct();
  int streamed = 0;
  for (kernel::cuda::StreamTuning const& tuning : stream_tunings()) streamed += forms.expect_tiles(tuning) ? 1 : 0;
  return streamed;
}

/// The same for a sweep with one output.
template <class Real, class Accumulator, class Functor, class... Input>
int expect_same(IndexRange const& range, Extents const& extents, Functor const& functor, Input const&... input) {
  auto const setup = [&](auto const& use) {
    TestBlock<Real, Kokkos::Cuda> const out(extents, 4, 100, 3);
    use(kernel::make_task(test_geometry<Real>(), out.view(), functor, input.view()...));
    return out.contents();
  };
  return expect_every_form<Real, Accumulator>(range, setup);
}

inline std::vector<Extents> const solid = {{65, 17, 6}, {31, 7, 11}, {2, 3, 2}, {1, 1, 5}, {300, 41, 67}, {513, 64, 9}};
inline std::vector<Extents> const flat = {{7, 5, 1}, {65, 64, 1}, {129, 9, 1}, {1030, 211, 1}, {256, 2, 1}};

}  // namespace halocline::kernel_test
