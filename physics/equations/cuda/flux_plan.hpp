#pragma once

#include "framework/mesh/index_range.hpp"

namespace halocline::equation::cuda {

/// A stage of a conservation law, cut up.
struct FluxPlan {
  Index begin[3] = {0, 0, 0};  ///< of the range
  Index end[3] = {0, 0, 0};
  int tiles_x = 0;
  int tiles_y = 0;
  Index chunk = 0;  ///< planes that a block goes through
};

/// What the planning needs to know of a kernel.
struct FluxKernel {
  void const* function = nullptr;
  int columns = 0;  ///< threads of a block along x: the last of them, and of the rows, evaluates faces alone
  int rows = 0;
  int shared_bytes = 0;
};

struct FluxLaunch {
  FluxPlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the range is thinner than tiles are worth, or the device has not the memory
  int shared_bytes = 0;
};

/// Cuts a range up for the current device. The same range and kernel get the same plan.
[[nodiscard]] FluxLaunch plan_fluxes(IndexRange const& range, FluxKernel const& kernel);

}  // namespace halocline::equation::cuda
