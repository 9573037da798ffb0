#include "drivers/halocline/memory_forecast.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace halocline {
namespace {

/// Two arrays with one ghost layer, one without, a list along each axis and a constant.
double taken_by(Extents const& cells) {
  auto const x = static_cast<double>(cells[0]);
  auto const y = static_cast<double>(cells[1]);
  auto const z = static_cast<double>(cells[2]);
  return 8 * (2 * (x + 2) * (y + 2) * (z + 2) + x * y * z + 3 * (x + y + z) + 100);
}

TEST(MemoryForecast, IsExactForArraysAndTheirGhosts) {
  MemoryForecast forecast{.cells = {{{32, 64}, {8, 16}, {5, 10}}}};
  for (std::size_t n = 0; n < 8; ++n) {
    Extents cells{};
    for (std::size_t axis = 0; axis < 3; ++axis) cells[axis] = static_cast<Index>(forecast.cells[axis][n >> axis & 1U]);
    forecast.taken[n] = {.peak = taken_by(cells), .resting = 1, .state = 2, .owned = 3, .written = 4};
  }
  for (Extents const& cells :
       {Extents{32, 8, 5}, Extents{64, 8, 10}, Extents{1000, 700, 3}, Extents{4096, 4096, 4096}}) {
    BlockBytes const bytes = forecast.of(cells);
    // Each weight is as large as the product of the extents' ratios, and the eight terms cancel.
    EXPECT_NEAR(bytes.peak, taken_by(cells), 1e-9 * taken_by(cells));
    EXPECT_NEAR(bytes.resting, 1, 1e-6);
    EXPECT_NEAR(bytes.written, 4, 4e-6);
  }
}

TEST(MemoryForecast, AnAxisOfOneSizeSaysNothingOfOthers) {
  MemoryForecast forecast{.cells = {{{8, 16}, {1, 1}, {1, 1}}}};
  for (std::size_t n = 0; n < 8; ++n) forecast.taken[n].peak = n % 2 == 0 ? 80 : 160;
  EXPECT_DOUBLE_EQ(forecast.of({100, 1, 1}).peak, 1000);
  EXPECT_DOUBLE_EQ(forecast.of({100, 7, 1}).peak, 1000);
}

TEST(MemoryForecast, APeakThatSomeMeshesDoNotHaveGrowsNoFasterThanItsMesh) {
  MemoryForecast forecast{.cells = {{{32, 64}, {8, 16}, {8, 16}}}};
  for (std::size_t n = 0; n < 8; ++n) {
    Extents cells{};
    for (std::size_t axis = 0; axis < 3; ++axis) cells[axis] = static_cast<Index>(forecast.cells[axis][n >> axis & 1U]);
    forecast.taken[n] = {.peak = taken_by(cells), .resting = taken_by(cells)};
  }
  // The weights of the smallest meshes have opposite signs and magnitudes above 50,000.
  double const large = taken_by({512, 512, 512});
  for (std::size_t const small : {0U, 1U}) {
    MemoryForecast with_a_peak = forecast;
    with_a_peak.taken[small].peak += 1000;
    double const excess = with_a_peak.of({512, 512, 512}).peak - large;
    EXPECT_GE(excess, -1);
    EXPECT_LE(excess, 1001);
  }
  for (std::size_t n = 0; n < 8; ++n) forecast.taken[n].peak = 2 * taken_by({1, 1, 1}) + forecast.taken[n].resting;
  EXPECT_NEAR(forecast.of({512, 512, 512}).peak, large + 2 * taken_by({1, 1, 1}), 1e-9 * large);
}

}  // namespace
}  // namespace halocline
