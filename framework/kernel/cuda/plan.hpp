#pragma once

#include <compare>
#include <cstddef>
#include <string>

#include "framework/kernel/cuda/device.hpp"
#include "framework/kernel/reduction_tiles.hpp"

namespace halocline::kernel::cuda {

inline constexpr int most_stages = 16;
inline constexpr int most_inputs = 10;

/// What the second-level cache reads at a time: copies start and end there.
inline constexpr int sector = 32;

/// Where the parts of an input that steps of a tile read lie in shared memory: in buffers that are used in turn. Inputs
/// that are read at the point alone come later than those whose next planes are read, and have fewer buffers.
struct TileInput {
  int offset = 0;  ///< of the first buffer, in bytes
  int buffers = 0;
  int buffer_bytes = 0;
  int pitch = 0;  ///< entries of a row
  int halo = 0;   ///< entries before the first of a row of the tile: whole sectors
};

/// A streaming sweep, cut up.
struct StreamPlan {
  Index begin[3] = {0, 0, 0};  ///< of the range
  Index end[3] = {0, 0, 0};
  Index origin_x = 0;  ///< of the first tile: whole sectors from index 0
  ReductionTiles reduction_tiles;
  Index chunk = 0;  ///< planes (2D: rows) that a block goes through; whole steps, with sums whole reduction tiles
  int tiles_x = 0;
  int tiles_y = 0;
  int chunks = 0;
  int between[3] = {0, 0, 0};  ///< blocks from a tile to the next along x and y, and to the next chunk
  int threads_x = 0;
  int threads_y = 0;
  int stages = 0;                ///< steps whose values are in shared memory at a time
  int input_bytes = 0;           ///< of all buffers of all inputs
  bool aligned_outputs = false;  ///< packs can be stored as such
  int pace = 0;                  ///< steps that a block may be ahead of the others; 0: any number
  int resident_blocks = 0;       ///< those that run at a time, one batch, and keep pace with each other
  int batches = 0;
  int counted_steps = 0;      ///< of one batch
  unsigned* begun = nullptr;  ///< blocks that have begun a step, for every step of every batch; zero before and after
  unsigned* blocks_done = nullptr;  ///< zero before and after
  unsigned* merging = nullptr;      ///< counters of the merging
  unsigned zero = 0;                ///< 0, which the compiler does not know
  TileInput input[most_inputs] = {};
};

/// How blocks are numbered, and so which of them run at a time: neighbours along the first axis named come one after
/// the other. Along the slowest axis of the range there are chunks.
enum class BlockOrder { xyz, yxz, zxy };

/// What may be chosen about a streaming sweep without changing its result.
struct StreamTuning {
  int threads_x = 0;  ///< in packs of 16 bytes
  int threads_y = 1;
  int ahead = 2;     ///< steps that are asked for before they are needed
  Index planes = 0;  ///< planes (2D: rows) that a block goes through; 0: all
  int pace = 0;      ///< steps that a block may be ahead of the others; 0: any number
  BlockOrder order = BlockOrder::xyz;
  [[nodiscard]] friend auto operator<=>(StreamTuning const&, StreamTuning const&) = default;
};

/// What the planning of a streaming sweep needs to know of its kernel.
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

/// Threads of a streaming kernel beside those that evaluate: the warp that asks for what steps read.
inline constexpr int producer_threads = 32;

struct StreamLaunch {
  StreamPlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the kernel cannot run on this range, or would not be worth it
  int threads = 0;
  int shared_bytes = 0;
};

/// How well a tuning uses the memory, as far as a few numbers tell: 1 is best, 0 cannot run. What is weighed and how
/// much comes from trials on an H100.
[[nodiscard]] double tile_score(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning);
/// The tuning that is used where nothing better is known.
[[nodiscard]] StreamTuning default_tuning(IndexRange const& range, StreamKernel const& kernel);

/// Cuts a range up. Whoever launches adds the counters and says how outputs are aligned.
[[nodiscard]] StreamLaunch cut_up(IndexRange const& range, StreamKernel const& kernel, StreamTuning const& tuning);

/// The same, without a tuning by the one that is chosen for the sweep. Plans are kept: asking the device takes longer
/// than a small sweep.
[[nodiscard]] StreamLaunch plan_stream(IndexRange const& range, StreamKernel const& kernel,
                                       StreamTuning const* tuning = nullptr);
/// Whether the chosen plan is known already.
[[nodiscard]] bool is_planned(IndexRange const& range, StreamKernel const& kernel);
/// Plans that were chosen may be chosen otherwise from now on.
void forget_plans();

/// What trials decide about sweeps along a line; nothing of it changes a bit of a result.
struct LineTuning {
  static constexpr Index fewest_points = Index{1} << 24U;  ///< of a range that is streamed
  static constexpr int step_bytes = 8192;                  ///< that a step of several rows reads at most
  static constexpr int most_rows = 8;                      ///< of a step: a power of two, at most 8
  static constexpr int stages = 4;  ///< that a block uses if there is room: more ask for too many places at once
};

/// A sweep along a line, cut up.
struct LinePlan {
  Index begin = 0;  ///< of the range along x
  Index end = 0;
  Index j = 0;  ///< where the line is
  Index k = 0;
  Index origin = 0;  ///< of the first reduction tile
  Index groups = 0;  ///< of reduction tiles side by side
  Index group_points = 0;
  int stages = 0;                   ///< steps whose values are in shared memory at a time
  unsigned* blocks_done = nullptr;  ///< zero before and after
  unsigned* taken = nullptr;        ///< groups that blocks have taken beyond their first; zero before and after
  unsigned zero = 0;                ///< 0, which the compiler does not know
};

struct LineLaunch {
  LinePlan plan;
  void const* function = nullptr;
  int blocks = 0;  ///< 0: the kernel cannot run on this range or device
  int shared_bytes = 0;
};

/// Cuts a range up for a kernel whose stages have so many bytes. Whoever launches adds the counters.
[[nodiscard]] LineLaunch plan_line(IndexRange const& range, void const* function, int stage_bytes, int sums,
                                   int accumulator_bytes);

/// Enqueues the very kernel that a launch was planned for. Every file that sweeps with a task has that kernel, at an
/// address of its own: one that the linker's choice among functions of these files names may not be the one that was
/// allowed its shared memory.
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
