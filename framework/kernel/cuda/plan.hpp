#pragma once

#include <compare>
#include <cstddef>
#include <string>

#include "framework/kernel/cuda/device.hpp"
#include "framework/kernel/reduction_tiles.hpp"

namespace halocline::kernel::cuda {

inline constexpr int most_stages = 16;
inline constexpr int most_inputs = 10;

/// Bytes that the second-level cache reads at a time: copies start and end on these boundaries.
inline constexpr int sector = 32;

/// Layout in shared memory of what a tile's steps read of an input: a ring of buffers. Inputs read only at the point
/// itself arrive later than those whose next planes are read, and have fewer buffers.
struct TileInput {
  int offset = 0;  ///< of the first buffer, in bytes
  int buffers = 0;
  int buffer_bytes = 0;
  int pitch = 0;  ///< entries of a row
  int halo = 0;   ///< entries before the first of a row of the tile: whole sectors
};

/// How a streaming sweep is divided.
struct StreamPlan {
  Index begin[3] = {0, 0, 0};  ///< of the range
  Index end[3] = {0, 0, 0};
  Index origin_x = 0;  ///< of the first tile: a multiple of a sector from index 0
  ReductionTiles reduction_tiles;
  Index chunk = 0;  ///< planes (2D: rows) that a block processes; whole steps, with sums whole reduction tiles
  int tiles_x = 0;
  int tiles_y = 0;
  int chunks = 0;
  int between[3] = {0, 0, 0};  ///< blocks from a tile to the next along x and y, and to the next chunk
  int threads_x = 0;
  int threads_y = 0;
  int stages = 0;                ///< steps whose values are in shared memory at the same time
  int input_bytes = 0;           ///< of all buffers of all inputs
  bool aligned_outputs = false;  ///< packs can be stored with one instruction
  int pace = 0;                  ///< steps that a block may be ahead of the others; 0: unlimited
  int resident_blocks = 0;       ///< blocks that run at a time (one batch) and keep pace with each other
  int batches = 0;
  int counted_steps = 0;      ///< of one batch
  unsigned* begun = nullptr;  ///< blocks that have begun a step, for every step of every batch; zero before and after
  unsigned* blocks_done = nullptr;  ///< zero before and after
  unsigned* merging = nullptr;      ///< counters of the merge
  unsigned zero = 0;                ///< 0, but not a compile-time constant
  TileInput input[most_inputs] = {};
};

/// How blocks are numbered, which decides which of them run at a time: neighbours along the first axis named come one
/// after the other. Along the slowest axis of the range, chunks are numbered.
enum class BlockOrder { xyz, yxz, zxy };

/// Parameters of a streaming sweep that do not change its result.
struct StreamTuning {
  int threads_x = 0;  ///< in packs of 16 bytes
  int threads_y = 1;
  int ahead = 2;     ///< steps that are copied before they are needed
  Index planes = 0;  ///< planes (2D: rows) that a block processes; 0: all
  int pace = 0;      ///< steps that a block may be ahead of the others; 0: unlimited
  BlockOrder order = BlockOrder::xyz;
  [[nodiscard]] friend auto operator<=>(StreamTuning const&, StreamTuning const&) = default;
};

/// What the plan of a streaming sweep depends on in its kernel.
struct StreamKernel {
  struct Input {
    int size = 0;              ///< bytes of an entry
    int reach[3] = {0, 0, 0};  ///< of the functor along each axis, in this input
  };
  void const* function = nullptr;
  int dimensions = 0;
  int width = 0;  ///< points of a thread along x …
  int rows = 0;   ///< … and along y
  int step = 0;   ///< planes or rows of a step
  int stages_in_use = 0;
  int most_threads = 0;
  bool star = true;
  int outputs = 0;
  int sums = 0;
  int accumulator_bytes = 0;
  int inputs = 0;
  Input input[most_inputs] = {};
  std::string functor;  ///< its name
};

/// Threads of a streaming kernel besides those that evaluate: the warp that issues the copies.
inline constexpr int producer_threads = 32;

struct StreamLaunch {
  StreamPlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the kernel cannot run on this range, or would not pay off
  int threads = 0;
  int shared_bytes = 0;
};

/// Estimate of how well a tuning uses the memory bandwidth: 1 is best, 0 cannot run. Its terms and weights come from
/// trials on an H100.
[[nodiscard]] double tile_score(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning);
/// The tuning that is used where nothing better is known.
[[nodiscard]] StreamTuning default_tuning(IndexRange const& range, StreamKernel const& kernel);

/// Divides a range. The caller adds the counters and the alignment of outputs before the launch.
[[nodiscard]] StreamLaunch cut_up(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning);

/// The same with the given tuning, or with the one chosen for the sweep. Plans are cached: querying the device takes
/// longer than a small sweep.
[[nodiscard]] StreamLaunch plan_stream(IndexRange const& range, StreamKernel const& kernel,
                                       StreamTuning const* tuning = nullptr);
/// Whether the chosen plan is cached.
[[nodiscard]] bool is_planned(IndexRange const& range, StreamKernel const& kernel);
/// Discards the cached plans, after which other tunings may be chosen.
void forget_plans();

/// Parameters of sweeps along a line, found by trials; none changes a bit of a result.
struct LineTuning {
  static constexpr Index fewest_points = Index{1} << 24U;  ///< of a range that is streamed
  static constexpr int step_bytes = 8192;                  ///< the most that a step of several rows reads
  static constexpr int most_rows = 8;                      ///< of a step: a power of two, at most 8
  static constexpr int stages = 4;  ///< the most that a block uses: more would read from too many places at once
};

/// How a sweep along a line is divided.
struct LinePlan {
  Index begin = 0;  ///< of the range along x
  Index end = 0;
  Index j = 0;  ///< position of the line
  Index k = 0;
  Index origin = 0;  ///< of the first reduction tile
  Index groups = 0;  ///< of adjacent reduction tiles
  Index group_points = 0;
  int stages = 0;                   ///< steps whose values are in shared memory at the same time
  unsigned* blocks_done = nullptr;  ///< zero before and after
  unsigned* taken = nullptr;        ///< groups that blocks have claimed after their first; zero before and after
  unsigned zero = 0;                ///< 0, but not a compile-time constant
};

struct LineLaunch {
  LinePlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the kernel cannot run on this range or device
  int shared_bytes = 0;
};

/// Divides a range for a kernel with stages of `stage_bytes`. The caller adds the counters before the launch.
[[nodiscard]] LineLaunch plan_line(IndexRange const& range, void const* function, int stage_bytes, int sums,
                                   int accumulator_bytes);

/// Enqueues exactly the kernel instance that the launch was planned for. Each source file that sweeps with a task has
/// its own instance at its own address; the one that the linker resolves a name to may not be the one whose shared
/// memory was raised.
template <class Launch, class... Argument>
void enqueue(Launch const& launch, int threads, cudaStream_t stream, char const* called, Argument const&... arguments) {
  void* all[] = {const_cast<void*>(static_cast<void const*>(&arguments))...};
  check(cudaLaunchKernel(launch.function, dim3(static_cast<unsigned>(launch.blocks)),
                         dim3(static_cast<unsigned>(threads)), all, static_cast<std::size_t>(launch.shared_bytes),
                         stream),
        called);
}

/// "streaming along x, 4 stages" or "direct" where nothing would be launched.
[[nodiscard]] std::string describe(LineLaunch const& launch);

/// "streaming, 256 x 2 threads, 6 stages, chunks of 512, pace 5", or "direct" where nothing would be launched.
[[nodiscard]] std::string describe(StreamLaunch const& launch);

}  // namespace halocline::kernel::cuda
