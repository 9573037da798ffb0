#include "framework/kernel/cuda/plan.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "framework/kernel/cuda/tune.hpp"

namespace halocline::kernel::cuda {
namespace {

[[nodiscard]] int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }
[[nodiscard]] Index pieces(Index whole, Index piece) { return (whole + piece - 1) / piece; }

/// Shared memory that a kernel may ask for, beside what it has by itself.
int dynamic_shared_bytes() { return current_device().shared_bytes - 1024; }
/// What is left for the sums of a tile when a tile is chosen.
constexpr int room_for_groups = 7168;
void allow_shared_memory(void const* function) {
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared_bytes()),
        "cudaFuncSetAttribute");
}

/// Plans that are kept; more means that somebody sweeps ever new ranges.
constexpr std::size_t most_plans = 4096;

/// Lays the inputs of a tile out in a stage.
int lay_out(StreamKernel const& kernel, int threads_x, int threads_y, TileInput* inputs) {
  int const tile_x = threads_x * kernel.width;
  int const tile_y = threads_y * kernel.rows;
  int bytes = 0;
  for (int n = 0; n < kernel.inputs; ++n) {
    auto const [size, reach] = kernel.input[n];
    int const halo = round_up(reach, sector / size);
    int const rows = tile_y + (kernel.dimensions == 3 ? 2 * reach : 0);
    inputs[n] = {.offset = bytes, .pitch = tile_x + 2 * halo, .halo = halo};
    bytes += round_up(inputs[n].pitch * rows * size, 128);
  }
  return bytes;
}
int stage_bytes(StreamKernel const& kernel, int threads_x, int threads_y) {
  TileInput inputs[most_inputs];
  return lay_out(kernel, threads_x, threads_y, inputs);
}

}  // namespace

StreamTuning default_tuning(IndexRange const& range, StreamKernel const& kernel) {
  // The best of those that were tried on an H100.
  StreamTuning tuning;
  bool const solid = kernel.dimensions == 3;
  bool const wide = solid && kernel.stages_in_use > 3;
  tuning.threads_x = !solid ? 128 : !wide ? (kernel.sums > 0 ? 128 : 256) : kernel.rows == 1 ? 48 : 96;
  tuning.ahead = !solid ? 2 : wide ? 3 : 4;
  // A tile should not be much wider than the range, and fit shared memory.
  int const columns = kernel.sums > 0 ? Bricks(range).columns_x : 32;
  auto const at_narrowest = [&] {
    return tuning.threads_x / 2 * kernel.width % columns != 0 || tuning.threads_x <= 32;
  };
  while (!at_narrowest() && tuning.threads_x / 2 * kernel.width >= range.extent(0)) tuning.threads_x /= 2;
  if (!solid) {
    tuning.planes = 64;
    return tuning;
  }
  tuning.threads_y = kernel.most_threads / tuning.threads_x;
  int const room = dynamic_shared_bytes() - room_for_groups;
  while ((kernel.stages_in_use + 2) * stage_bytes(kernel, tuning.threads_x, tuning.threads_y) > room) {
    if (!at_narrowest()) {
      tuning.threads_x /= 2;
    } else if (tuning.threads_y * kernel.rows > 8) {
      tuning.threads_y /= 2;
    } else {
      break;
    }
  }
  Index const tiles = pieces(range.extent(0), tuning.threads_x * kernel.width) *
                      pieces(range.extent(1), tuning.threads_y * kernel.rows);
  Index const multiprocessors = current_device().multiprocessors;
  if (wide || tiles < multiprocessors * 3 / 4) {
    // Every tile is cut along z, so that all multiprocessors have work.
    Index const cuts = std::max<Index>(pieces(multiprocessors, tiles), wide ? 6 : 1);
    tuning.planes = std::max<Index>(16, pieces(range.extent(2), cuts));
  } else {
    tuning.pace = 5;
  }
  return tuning;
}

StreamLaunch cut_up(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning) {
  StreamLaunch launch;
  StreamPlan& plan = launch.plan;
  plan.bricks = Bricks(range);
  if (!current_device().async_copy || plan.bricks.dimensions != kernel.dimensions) return launch;
  bool const solid = kernel.dimensions == 3;
  for (std::size_t axis = 0; axis < 3; ++axis) plan.begin[axis] = range.begin[axis], plan.end[axis] = range.end[axis];
  plan.origin_x = plan.bricks.origin[0];
  plan.threads_x = tuning.threads_x;
  plan.threads_y = solid ? tuning.threads_y : 1;
  int const tile_x = plan.threads_x * kernel.width;
  int const tile_y = plan.threads_y * kernel.rows;
  if (plan.threads_x < 1 || plan.threads_y < 1) return launch;
  if (plan.threads_x * plan.threads_y > kernel.most_threads || plan.threads_x * plan.threads_y % 32 != 0) return launch;
  // A tile holds whole bricks.
  if (kernel.sums > 0 && (tile_x % plan.bricks.columns_x != 0 || (solid && tile_y % plan.bricks.columns_y != 0))) {
    return launch;
  }

  Index const planes = range.extent(kernel.dimensions - 1);
  plan.chunk = tuning.planes == 0 ? planes : std::min(planes, tuning.planes);
  plan.chunk = pieces(plan.chunk, kernel.sums > 0 ? plan.bricks.steps : kernel.step) *
               (kernel.sums > 0 ? plan.bricks.steps : kernel.step);
  plan.tiles_x = static_cast<int>(pieces(range.end[0] - plan.origin_x, tile_x));
  plan.tiles_y = solid ? static_cast<int>(pieces(range.extent(1), tile_y)) : 1;
  plan.chunks = static_cast<int>(pieces(planes, plan.chunk));

  plan.stages = std::min(kernel.stages_in_use + tuning.ahead, most_stages);
  plan.stage_bytes = lay_out(kernel, plan.threads_x, plan.threads_y, plan.input);
  int const groups = tile_x / 32 * (solid ? tile_y : 1);
  int const group_bytes = groups * kernel.sums * kernel.accumulator_bytes;
  int const room = dynamic_shared_bytes() - group_bytes;
  plan.stages = std::min(plan.stages, room / plan.stage_bytes);
  if (plan.stages <= kernel.stages_in_use) return launch;
  launch.shared_bytes = plan.stages * plan.stage_bytes + group_bytes;
  launch.threads = plan.threads_x * plan.threads_y + producer_threads;

  int const blocks = plan.tiles_x * plan.tiles_y * plan.chunks;
  plan.pace = tuning.pace;
  plan.wave = blocks;
  plan.waves = 0;
  allow_shared_memory(kernel.function);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&launch.resident, kernel.function, launch.threads,
                                                      static_cast<std::size_t>(launch.shared_bytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (plan.pace > 0) {
    plan.wave = std::max(1, launch.resident * current_device().multiprocessors);
    plan.waves = static_cast<int>(pieces(blocks, plan.wave));
    plan.counted_steps = static_cast<int>(pieces(plan.chunk, kernel.step)) + 2 * kernel.stages_in_use;
  }
  launch.blocks = blocks;
  return launch;
}

namespace {

/// Plans by kernel, device, range and tuning; none stands for the chosen one.
struct Plans {
  using Key = std::tuple<void const*, int, Extents, Extents, std::optional<StreamTuning>>;
  std::mutex mutex;
  std::map<Key, StreamLaunch> known;
};
Plans& plans() {
  static Plans plans;
  return plans;
}

std::string points_of(IndexRange const& range) {
  return std::to_string(range.extent(0)) + " x " + std::to_string(range.extent(1)) + " x " +
         std::to_string(range.extent(2));
}

Plans::Key plan_key(IndexRange const& range, StreamKernel const& kernel, StreamTuning const* tuning) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return {kernel.function, device, range.begin, range.end,
          tuning != nullptr ? std::optional<StreamTuning>(*tuning) : std::nullopt};
}

StreamLaunch chosen_plan(IndexRange const& range, StreamKernel const& kernel) {
  Choice const choice = choose(range, kernel);
  StreamLaunch const launch = choice.tuning ? cut_up(range, kernel, *choice.tuning) : StreamLaunch{};
  tuner::note({kernel.functor, points_of(range), describe(launch), choice.source});
  return launch;
}

}  // namespace

StreamLaunch plan_stream(IndexRange const& range, StreamKernel const& kernel, StreamTuning const* tuning) {
  Plans::Key const key = plan_key(range, kernel, tuning);
  auto& [mutex, known] = plans();
  std::scoped_lock const lock(mutex);
  if (auto const plan = known.find(key); plan != known.end()) return plan->second;
  if (known.size() >= most_plans) known.clear();
  StreamLaunch const plan = tuning != nullptr ? cut_up(range, kernel, *tuning) : chosen_plan(range, kernel);
  known.emplace(key, plan);
  return plan;
}

bool is_planned(IndexRange const& range, StreamKernel const& kernel) {
  Plans::Key const key = plan_key(range, kernel, nullptr);
  std::scoped_lock const lock(plans().mutex);
  return plans().known.contains(key);
}

void forget_plans() {
  std::scoped_lock const lock(plans().mutex);
  plans().known.clear();
}

std::string describe(StreamLaunch const& launch) {
  if (launch.blocks == 0) return "direct";
  StreamPlan const& plan = launch.plan;
  std::string text = "streaming, " + std::to_string(plan.threads_x) + " x " + std::to_string(plan.threads_y) +
                     " threads, " + std::to_string(plan.stages) + " stages, chunks of " + std::to_string(plan.chunk);
  if (plan.pace > 0) text += ", pace " + std::to_string(plan.pace);
  return text;
}

}  // namespace halocline::kernel::cuda
