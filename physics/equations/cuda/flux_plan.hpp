#pragma once

#include "framework/mesh/index_range.hpp"

namespace halocline::equation::cuda {

/// Decomposition of a conservation law's stage into tiles and chunks.
struct FluxPlan {
  Index begin[3] = {0, 0, 0};  ///< of the range
  Index end[3] = {0, 0, 0};
  int tiles_x = 0;
  int tiles_y = 0;
  Index chunk = 0;  ///< planes that a block processes
};

/// Properties of a kernel that the plan depends on.
struct FluxKernel {
  void const* function = nullptr;
  int columns = 0;  ///< threads of a block along x; the last column and the last row only evaluate faces
  int rows = 0;
  int shared_bytes = 0;
};

struct FluxLaunch {
  FluxPlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the range is too thin for tiles, or shared memory is too small
  int shared_bytes = 0;
};

/// Decomposes a range for the current device. The same range and kernel yield the same plan.
[[nodiscard]] FluxLaunch plan_fluxes(IndexRange const& range, FluxKernel const& kernel);

}  // namespace halocline::equation::cuda
