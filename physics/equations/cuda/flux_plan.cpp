#include "physics/equations/cuda/flux_plan.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "framework/kernel/cuda/device.hpp"

namespace halocline::equation::cuda {
namespace {

using kernel::cuda::check;
using kernel::cuda::current_device;
using kernel::cuda::current_device_number;

/// Resident blocks of a kernel on the whole device; 0 if it cannot run. Queried once for each kernel and device.
int blocks_at_a_time(FluxKernel const& kernel) {
  static std::mutex mutex;
  static std::map<std::pair<void const*, int>, int> known;
  std::scoped_lock const lock(mutex);
  auto const [its, is_new] = known.try_emplace({kernel.function, current_device_number()}, 0);
  if (!is_new) return its->second;
  if (kernel.shared_bytes > current_device().shared_bytes) return 0;
  check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes),
        "cudaFuncSetAttribute");
  int of_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, kernel.function, kernel.columns * kernel.rows,
                                                      static_cast<std::size_t>(kernel.shared_bytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return its->second = of_multiprocessor * current_device().multiprocessors;
}

int tiles(Index extent, int size) { return static_cast<int>((extent + size - 1) / size); }

/// Planes per chunk that minimise the run time: all multiprocessors have work, and the start-up before the first plane
/// is small against it.
Index best_chunk(Index planes, Index tiles_of_plane, Index at_a_time) {
  constexpr Index before_first_plane = 1;  // cost in planes: the faces below it, and the wait for the first loads
  Index best = planes;
  Index least = 0;
  for (Index chunks = 1; chunks <= planes; ++chunks) {
    Index const chunk = (planes + chunks - 1) / chunks;
    Index const rounds = (tiles_of_plane * ((planes + chunk - 1) / chunk) + at_a_time - 1) / at_a_time;
    Index const time = rounds * (chunk + before_first_plane);
    if (least == 0 || time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

}  // namespace

FluxLaunch plan_fluxes(IndexRange const& range, FluxKernel const& kernel) {
  FluxLaunch launch;
  // On a thin range most of a tile would be idle.
  if (range.extent(0) < kernel.columns / 2 || range.extent(1) < kernel.rows / 4) return launch;
  int const at_a_time = blocks_at_a_time(kernel);
  if (at_a_time == 0) return launch;
  for (int axis = 0; axis < 3; ++axis) {
    launch.plan.begin[axis] = range.begin[static_cast<std::size_t>(axis)];
    launch.plan.end[axis] = range.end[static_cast<std::size_t>(axis)];
  }
  launch.plan.tiles_x = tiles(range.extent(0), kernel.columns - 1);
  launch.plan.tiles_y = tiles(range.extent(1), kernel.rows - 1);
  Index const of_plane = Index{launch.plan.tiles_x} * launch.plan.tiles_y;
  launch.plan.chunk = best_chunk(range.extent(2), of_plane, at_a_time);
  launch.blocks = static_cast<int>(of_plane * ((range.extent(2) + launch.plan.chunk - 1) / launch.plan.chunk));
  launch.function = kernel.function;
  launch.shared_bytes = kernel.shared_bytes;
  return launch;
}

}  // namespace halocline::equation::cuda
