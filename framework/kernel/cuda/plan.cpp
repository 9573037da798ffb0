#include "framework/kernel/cuda/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "framework/kernel/cuda/tune.hpp"

namespace halocline::kernel::cuda {
namespace {

[[nodiscard]] int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }
[[nodiscard]] Index pieces(Index whole, Index piece) { return (whole + piece - 1) / piece; }

/// Dynamic shared memory that a kernel may request: less its static shared memory and that of a block which also
/// carries messages.
int dynamic_shared_bytes() { return current_device().shared_bytes - 2048; }
/// Bytes reserved for the sums of a tile when a tile is chosen.
constexpr int room_for_groups = 7168;
/// Raises the shared-memory limit once for each kernel and device: the call takes longer than a launch.
void allow_shared_memory(void const* function) {
  static std::mutex mutex;
  static std::set<std::pair<void const*, int>> allowed;
  std::scoped_lock const lock(mutex);
  if (allowed.contains({function, current_device_number()})) return;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared_bytes()),
        "cudaFuncSetAttribute");
  allowed.emplace(function, current_device_number());
}

/// Plans that are kept; more indicate that ranges change all the time.
constexpr std::size_t most_plans = 4096;

/// `lead`: steps between the arrival of an input's values and the first evaluation with them. `keep`: steps after which
/// they may be discarded. See `Stream`.
struct Lead {
  int lead = 0;
  int keep = 0;
};
Lead lead_of(StreamKernel const& kernel, int reach) {
  bool const solid = kernel.dimensions == 3;
  int const lead = solid ? reach : std::min(reach, 1);
  return {lead, solid && kernel.star ? 0 : lead};
}

/// Shared memory for the inputs of a tile: `a_stage` bytes for each stage, less `saved`, since some inputs arrive later
/// or are discarded sooner than others.
struct TileBytes {
  int a_stage = 0;
  int saved = 0;
  [[nodiscard]] int stages_in(int room) const { return (room + saved) / a_stage; }
};

/// Lays out the buffers of one input; their offset depends on the number of stages, which is not known yet.
TileInput lay_out(StreamKernel const& kernel, StreamKernel::Input const& input, int threads_x, int threads_y) {
  int const halo = round_up(input.reach[0], sector / input.size);
  int const rows = threads_y * kernel.rows + (kernel.dimensions == 3 ? 2 * input.reach[1] : 0);
  TileInput tile{
      .offset = 0, .buffers = 0, .buffer_bytes = 0, .pitch = threads_x * kernel.width + 2 * halo, .halo = halo};
  tile.buffer_bytes = round_up(tile.pitch * rows * input.size, 128);
  return tile;
}
/// How many buffers fewer than stages an input needs.
int spared_buffers(StreamKernel const& kernel, StreamKernel::Input const& input) {
  int farthest = 0;
  for (int n = 0; n < kernel.inputs; ++n) farthest = std::max(farthest, kernel.input[n].reach[kernel.dimensions - 1]);
  Lead const all = lead_of(kernel, farthest);
  Lead const mine = lead_of(kernel, input.reach[kernel.dimensions - 1]);
  return all.lead - mine.lead + all.keep - mine.keep;
}
TileBytes tile_bytes(StreamKernel const& kernel, int threads_x, int threads_y) {
  TileBytes bytes;
  for (int n = 0; n < kernel.inputs; ++n) {
    int const buffer_bytes = lay_out(kernel, kernel.input[n], threads_x, threads_y).buffer_bytes;
    bytes.a_stage += buffer_bytes;
    bytes.saved += spared_buffers(kernel, kernel.input[n]) * buffer_bytes;
  }
  return bytes;
}

int farthest_reach(StreamKernel const& kernel) {
  int farthest = 0;
  for (int n = 0; n < kernel.inputs; ++n)
    for (int const reach : kernel.input[n].reach) farthest = std::max(farthest, reach);
  return farthest;
}

class TileScore {
 public:
  TileScore(IndexRange const& range, StreamKernel const& kernel)
      : range_(range), kernel_(kernel), reach_(farthest_reach(kernel)) {
    work_ = 0.1 * (kernel.inputs + kernel.outputs + kernel.sums - 1);
  }

  [[nodiscard]] double operator()(StreamTuning const& tuning) const {
    int const tile_x = tuning.threads_x * kernel_.width;
    int const tile_y = tuning.threads_y * kernel_.rows;
    bool const solid = kernel_.dimensions == 3;
    Index const tiles_x = pieces(range_.extent(0), tile_x);
    Index const tiles_y = solid ? pieces(range_.extent(1), tile_y) : 1;
    Index const slowest = range_.extent(kernel_.dimensions - 1);
    Index const planes = tuning.planes > 0 ? std::min(tuning.planes, slowest) : slowest;
    Index const blocks = tiles_x * tiles_y * pieces(slowest, planes);
    TileBytes const needed = tile_bytes(kernel_, tuning.threads_x, tuning.threads_y);
    int const bytes = needed.a_stage;
    int const stages =
        std::min(kernel_.stages_in_use + tuning.ahead, needed.stages_in(dynamic_shared_bytes() - room_for_groups));
    int const asked_for = stages - kernel_.stages_in_use;
    if (asked_for < 1) return 0;
    // Blocks run in batches, the last of which may be small; lanes beyond the range copy nothing.
    Index const multiprocessors = current_device().multiprocessors;
    double const useful =
        ratio(range_.extent(0), tiles_x * tile_x) * (solid ? ratio(range_.extent(1), tiles_y * tile_y) : 1);
    double const of_block = useful * asked_for * bytes / bytes_in_flight;
    auto const duration = [&](Index running) {
      double const part = static_cast<double>(running);
      return part / std::min(1.0, part * of_block) / std::pow(ratio(running, multiprocessors), work_);
    };
    Index const whole_batches = blocks / multiprocessors;
    Index const rest = blocks % multiprocessors;
    double const batches =
        static_cast<double>(whole_batches) * duration(multiprocessors) + (rest > 0 ? duration(rest) : 0);
    // Halos along z come from memory again, those along x and y from the second-level cache. Short rows cost time, and
    // so does reading several parts of a range at once.
    double const row_bytes = 16.0 * tuning.threads_x;
    double const borders =
        reach_ == 0 ? 1 : (solid ? ratio(tile_y, tile_y + 2 * reach_) : 1) * ratio(tile_x, tile_x + 64 / kernel_.width);
    return static_cast<double>(blocks) / batches * std::sqrt(ratio(planes, planes + 2 * reach_)) *
           std::pow(borders, 0.2) * std::pow(row_bytes / (row_bytes + 256), 0.4) *
           std::pow(ratio(planes, slowest), 0.04);
  }

 private:
  /// Bytes in flight that saturate the memory bandwidth of the device.
  static constexpr double bytes_in_flight = 8e6;
  [[nodiscard]] static double ratio(Index part, Index whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }
  IndexRange const& range_;
  StreamKernel const& kernel_;
  int reach_ = 0;
  double work_ = 0;  ///< cost of idle multiprocessors; grows with the work per point
};

/// Stencils of radius 3 and more.
bool is_wide(StreamKernel const& kernel) { return kernel.dimensions == 3 && kernel.stages_in_use > 3; }

/// The score of a tile of a wide stencil with several inputs. Such sweeps are bound by the instructions that they issue
/// as much as by memory. Batches of blocks, one block a multiprocessor, take the planes of a chunk and those beyond its
/// ends one after the other. The four schedulers of a multiprocessor share the warps of the block, one of which issues
/// the copies: 3 or 7 evaluating warps are balanced, a fourth would take a scheduler as long as two. The constants are
/// fitted to 140 tilings of two stencils of radius 4 on an H100 and an H200, with an error of 8 % (root mean square).
double wide_tile_score(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning) {
  constexpr int schedulers = 4;
  constexpr double copy_of_peak = 0.9;     // bandwidth that copies reach
  constexpr double bytes_in_flight = 5e6;  // that saturate it
  constexpr double short_rows = 57;        // threads along x: with so many, instructions take twice as long
  constexpr double rows_beyond = 0.13;     // part of the rows above and below a tile that is not in the cache
  constexpr double both_bounds = 4;        // exponent of the norm that combines the bounds
  Device const& device = current_device();
  int const reach = farthest_reach(kernel);
  int const tile_x = tuning.threads_x * kernel.width;
  int const tile_y = tuning.threads_y * kernel.rows;
  double const size = kernel.input[0].size;
  TileBytes const needed = tile_bytes(kernel, tuning.threads_x, tuning.threads_y);
  int const room = dynamic_shared_bytes() - (kernel.sums > 0 ? room_for_groups : 0);
  int const stages = std::min(kernel.stages_in_use + tuning.ahead, needed.stages_in(room));
  int const ahead = stages - kernel.stages_in_use;
  if (ahead < 1) return 0;
  Index const tiles_x = pieces(range.extent(0), tile_x);
  Index const tiles_y = pieces(range.extent(1), tile_y);
  Index const planes = tuning.planes > 0 ? std::min(tuning.planes, range.extent(2)) : range.extent(2);
  Index const chunks = pieces(range.extent(2), planes);
  Index const blocks = tiles_x * tiles_y * chunks;
  int const resident = std::max(1, room / (stages * needed.a_stage - needed.saved));
  Index const batches = pieces(blocks, Index{device.multiprocessors} * resident);
  double const running = static_cast<double>(blocks) / static_cast<double>(batches);

  int const warps = tuning.threads_x * tuning.threads_y / 32;
  auto const on_a_scheduler = static_cast<double>(pieces(Index{resident} * (warps + 1), schedulers));
  double const instructions = (18 + 12.3 * kernel.inputs) * (6 * reach + 1) / 25 * (size > 4 ? 2 : 1);
  double const issuing =
      instructions * kernel.width * kernel.rows * on_a_scheduler * (1 + short_rows / tuning.threads_x) / device.clock;

  double const of_tile =
      static_cast<double>(range.extent(0) * range.extent(1)) / static_cast<double>(tiles_x * tiles_y);
  double const moved = (kernel.inputs + kernel.outputs) * size;  // bytes for each point
  double const bandwidth =
      copy_of_peak * device.bandwidth * std::min(1.0, ahead * running * needed.a_stage / bytes_in_flight);
  double const copying = moved * of_tile * running * (1 + rows_beyond * 2 * reach / tile_y) / bandwidth;

  double const of_plane = std::pow(std::pow(issuing, both_bounds) + std::pow(copying, both_bounds), 1 / both_bounds);
  double const seconds = static_cast<double>(batches * (planes + 2 * reach)) * of_plane;
  double const least = moved * static_cast<double>(range.size()) / (copy_of_peak * device.bandwidth);
  // Of equal ones the simpler.
  return least / seconds / (1 + 0.002 * static_cast<double>(chunks + ahead));
}

/// The tile with the highest score.
StreamTuning best_tile(IndexRange const& range, StreamKernel const& kernel) {
  ReductionTiles const reduction_tiles(range);
  int const unit_x = kernel.sums > 0 ? std::max(1, reduction_tiles.columns_x / kernel.width) : 16;
  int const unit_y = kernel.sums > 0 ? reduction_tiles.columns_y : 1;
  bool const wide = is_wide(kernel);
  bool const norm = kernel.sums > 0 && kernel.inputs == 1;
  int const usual = wide ? 3 : norm || kernel.sums > 1 ? 2 : 4;
  StreamTuning best{.threads_x = unit_x};
  double highest = -1;
  for (int tiles_x = 1; tiles_x <= 64; ++tiles_x) {
    StreamTuning tuning;
    tuning.threads_x = round_up(static_cast<int>(pieces(pieces(range.extent(0), tiles_x), kernel.width)), unit_x);
    if (tuning.threads_x > kernel.most_threads) continue;
    for (tuning.threads_y = 1; tuning.threads_x * tuning.threads_y <= kernel.most_threads; ++tuning.threads_y) {
      if (tuning.threads_x * tuning.threads_y % 32 != 0 || tuning.threads_y * kernel.rows % unit_y != 0) continue;
      tuning.pace = wide ? 10 : norm ? 2 : 3;
      for (tuning.ahead = wide && kernel.inputs > 1 ? 1 : usual; tuning.ahead <= usual; ++tuning.ahead) {
        for (int cuts = 1; cuts <= 16; ++cuts) {
          tuning.planes = cuts == 1 ? 0 : pieces(range.extent(2), cuts);
          double const found = tile_score(range, kernel, tuning);
          if (found > highest) highest = found, best = tuning;
        }
      }
    }
    if (tuning.threads_x == unit_x) break;
  }
  // Wide stencils lose more by pacing than they gain, unless all blocks are resident at once.
  Index const tiles =
      pieces(range.extent(0), best.threads_x * kernel.width) * pieces(range.extent(1), best.threads_y * kernel.rows);
  if (wide && (best.planes > 0 || tiles > current_device().multiprocessors)) best.pace = 0;
  return best;
}

}  // namespace

double tile_score(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning) {
  if (is_wide(kernel) && kernel.inputs > 1) return wide_tile_score(range, kernel, tuning);
  return TileScore(range, kernel)(tuning);
}

StreamTuning default_tuning(IndexRange const& range, StreamKernel const& kernel) {
  if (kernel.dimensions == 3) return best_tile(range, kernel);
  // The best of those tried on an H100, but not much wider than the range.
  StreamTuning tuning{.threads_x = 128, .planes = 64};
  int const columns = kernel.sums > 0 ? ReductionTiles(range).columns_x : 32;
  while (tuning.threads_x > 32 && tuning.threads_x / 2 * kernel.width % columns == 0 &&
         tuning.threads_x / 2 * kernel.width >= range.extent(0)) {
    tuning.threads_x /= 2;
  }
  return tuning;
}

StreamLaunch cut_up(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning) {
  StreamLaunch launch;
  launch.function = kernel.function;
  StreamPlan& plan = launch.plan;
  plan.reduction_tiles = ReductionTiles(range);
  if (!current_device().async_copy || plan.reduction_tiles.dimensions != kernel.dimensions) return launch;
  bool const solid = kernel.dimensions == 3;
  for (std::size_t axis = 0; axis < 3; ++axis) plan.begin[axis] = range.begin[axis], plan.end[axis] = range.end[axis];
  plan.origin_x = plan.reduction_tiles.origin[0];
  plan.threads_x = tuning.threads_x;
  plan.threads_y = solid ? tuning.threads_y : 1;
  int const tile_x = plan.threads_x * kernel.width;
  int const tile_y = plan.threads_y * kernel.rows;
  if (plan.threads_x < 1 || plan.threads_y < 1) return launch;
  if (plan.threads_x * plan.threads_y > kernel.most_threads || plan.threads_x * plan.threads_y % 32 != 0) return launch;
  // A tile must hold whole reduction tiles.
  if (kernel.sums > 0 &&
      (tile_x % plan.reduction_tiles.columns_x != 0 || (solid && tile_y % plan.reduction_tiles.columns_y != 0))) {
    return launch;
  }

  Index const planes = range.extent(kernel.dimensions - 1);
  plan.chunk = tuning.planes == 0 ? planes : std::min(planes, tuning.planes);
  plan.chunk = pieces(plan.chunk, kernel.sums > 0 ? plan.reduction_tiles.steps : kernel.step) *
               (kernel.sums > 0 ? plan.reduction_tiles.steps : kernel.step);
  plan.tiles_x = static_cast<int>(pieces(range.end[0] - plan.origin_x, tile_x));
  plan.tiles_y = solid ? static_cast<int>(pieces(range.extent(1), tile_y)) : 1;
  plan.chunks = static_cast<int>(pieces(planes, plan.chunk));

  plan.stages = std::min(kernel.stages_in_use + tuning.ahead, most_stages);
  int const groups = tile_x / 32 * (solid ? tile_y : 1);
  int const group_bytes = groups * kernel.sums * kernel.accumulator_bytes;
  int const room = dynamic_shared_bytes() - group_bytes;
  plan.stages = std::min(plan.stages, tile_bytes(kernel, plan.threads_x, plan.threads_y).stages_in(room));
  if (plan.stages <= kernel.stages_in_use) return launch;
  for (int n = 0; n < kernel.inputs; ++n) {
    TileInput& input = plan.input[n];
    input = lay_out(kernel, kernel.input[n], plan.threads_x, plan.threads_y);
    input.offset = plan.input_bytes;
    input.buffers = plan.stages - spared_buffers(kernel, kernel.input[n]);
    plan.input_bytes += input.buffers * input.buffer_bytes;
  }
  launch.shared_bytes = plan.input_bytes + group_bytes;
  if (kernel.sums > 0) {
    int const scratch = static_cast<int>(merge_scratch(most_at_once)) * kernel.accumulator_bytes;
    launch.shared_bytes = std::max(launch.shared_bytes, scratch);
  }
  launch.threads = plan.threads_x * plan.threads_y + producer_threads;

  int const blocks = plan.tiles_x * plan.tiles_y * plan.chunks;
  int const axes[3][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
  int const count[3] = {plan.tiles_x, plan.tiles_y, plan.chunks};
  int nearest = 1;
  for (int const axis : axes[static_cast<int>(tuning.order)]) {
    plan.between[axis] = nearest;
    nearest *= count[axis];
  }
  plan.pace = tuning.pace;
  plan.resident_blocks = blocks;
  plan.batches = 0;
  allow_shared_memory(kernel.function);
  if (plan.pace > 0) {
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel.function, launch.threads,
                                                        static_cast<std::size_t>(launch.shared_bytes)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    plan.resident_blocks = std::max(1, resident * current_device().multiprocessors);
    plan.batches = static_cast<int>(pieces(blocks, plan.resident_blocks));
    plan.counted_steps = static_cast<int>(pieces(plan.chunk, kernel.step)) + 2 * kernel.stages_in_use;
  }
  launch.blocks = blocks;
  return launch;
}

namespace {

/// Plans by kernel, device, range and tuning; no tuning means the chosen one.
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
  return {kernel.function, current_device_number(), range.begin, range.end,
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
  if (plan.between[0] != 1) text += std::string(", numbered along ") + (plan.between[1] == 1 ? "y" : "z") + " first";
  return text;
}

LineLaunch plan_line(IndexRange const& range, void const* function, int stage_bytes, int sums, int accumulator_bytes) {
  LineLaunch launch;
  launch.function = function;
  ReductionTiles const reduction_tiles(range);
  if (range.empty() || reduction_tiles.dimensions != 1 || !current_device().async_copy) return launch;
  LinePlan& plan = launch.plan;
  plan.begin = range.begin[0];
  plan.end = range.end[0];
  plan.j = range.begin[1];
  plan.k = range.begin[2];
  plan.origin = reduction_tiles.origin[0];
  plan.groups = reduction_tiles.total() / ReductionTiles::together;
  plan.group_points = Index{reduction_tiles.steps} * ReductionTiles::columns * ReductionTiles::together;
  Index const merged = sums * ReductionTiles::columns * ReductionTiles::together / 32;
  Index const scratch = sums > 0 ? merge_scratch(reduction_tiles.total()) : 0;
  Index const room = dynamic_shared_bytes() - merged * accumulator_bytes;
  plan.stages = static_cast<int>(std::min(Index{LineTuning::stages}, room / stage_bytes));
  if (plan.stages < 2 || scratch * accumulator_bytes > dynamic_shared_bytes()) return launch;
  // All of a multiprocessor's shared memory, so that only one block runs there: several would slow each other down.
  launch.shared_bytes = dynamic_shared_bytes();
  allow_shared_memory(function);
  launch.blocks = static_cast<int>(std::min(plan.groups, Index{current_device().multiprocessors}));
  return launch;
}

std::string describe(LineLaunch const& launch) {
  if (launch.blocks == 0) return "direct";
  return "streaming along x, " + std::to_string(launch.plan.stages) + " stages";
}

}  // namespace halocline::kernel::cuda
