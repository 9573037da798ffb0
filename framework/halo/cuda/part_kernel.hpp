#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/halo/cuda/part_launch.hpp"
#include "framework/runtime/cuda_check.hpp"

// The kernel that copies boxes in parts. Its task defines how one thread waits for a part of a message (`await`) and
// how all threads of a block signal, after a barrier, that a part is complete (`signal`).

namespace halocline::cuda {

/// Threads of a launch at most: enough to saturate a connection, yet so few that the blocks of several ranks which
/// share a device are all resident, even while some wait for others.
inline constexpr int most_threads = 65536;
/// Threads of a block. A block of few threads fits beside a sweep that fills a multiprocessor, and works while the
/// sweep waits for memory; without a concurrent sweep, many threads transfer large messages faster.
inline constexpr int few_threads = 64;
inline constexpr int many_threads = 512;

/// Launch arguments besides buffers and boxes.
struct Task {
  int const* order = nullptr;
  int box_count = 0;
  int parts = 0;
  Index timeout = 0;
};
/// Buffers and boxes as launch arguments. The launch latency grows with their size.
template <class Base, std::size_t most_buffers, std::size_t most_boxes>
struct TravellingTask : Base {
  BoxBuffer buffers[most_buffers];
  PartedBox boxes[most_boxes];

  [[nodiscard]] static bool has_room_for(std::size_t buffer_count, std::size_t count) {
    return buffer_count <= most_buffers && count <= most_boxes;
  }
  TravellingTask(Base const& task, std::vector<BoxBuffer> const& all_buffers, std::vector<PartedBox> const& all_boxes)
      : Base(task) {
    std::copy(all_buffers.begin(), all_buffers.end(), buffers);
    std::copy(all_boxes.begin(), all_boxes.end(), boxes);
  }
};
template <class Base>
using SmallTask = TravellingTask<Base, 8, 8>;  ///< a field or two between slabs
template <class Base>
using LargeTask = TravellingTask<Base, 40, 24>;
/// For more than these hold: buffers and boxes in device memory.
template <class Base>
struct StayingTask : Base {
  BoxBuffer const* buffers;
  PartedBox const* boxes;
};

__device__ __forceinline__ std::uint32_t load_acquire(std::uint32_t const* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void store_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Four bytes and their flag are stored and loaded in one access of eight bytes. Existing devices do this atomically,
// though CUDA guarantees it for single words only. Larger values are several such accesses.
__device__ __forceinline__ void store_pairs(uint2* to, unsigned value) {
  asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(value), "r"(1U) : "memory");
}
__device__ __forceinline__ void store_pairs(uint2* to, uint2 value) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %3, %2, %3};" ::"l"(to), "r"(value.x), "r"(value.y), "r"(1U)
               : "memory");
}
__device__ __forceinline__ void store_pairs(uint2* to, uint4 value) {
  store_pairs(to, make_uint2(value.x, value.y));
  store_pairs(to + 2, make_uint2(value.z, value.w));
}
/// Whether the value has arrived; if so, clears its flags.
__device__ __forceinline__ bool take_pairs(uint2* from, unsigned& value) {
  unsigned flag;
  asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(flag) : "l"(from) : "memory");
  if (flag == 0) return false;
  asm volatile("st.volatile.global.v2.u32 [%0], {%1, %1};" ::"l"(from), "r"(0U) : "memory");
  return true;
}
__device__ __forceinline__ bool take_pairs(uint2* from, uint2& value) {
  unsigned flag[2];
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(flag[0]), "=r"(value.y), "=r"(flag[1])
               : "l"(from)
               : "memory");
  if (flag[0] == 0 || flag[1] == 0) return false;
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(from), "r"(0U) : "memory");
  return true;
}
__device__ __forceinline__ bool take_pairs(uint2* from, uint4& value) {
  unsigned flag[4];
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(flag[0]), "=r"(value.y), "=r"(flag[1])
               : "l"(from)
               : "memory");
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.z), "=r"(flag[2]), "=r"(value.w), "=r"(flag[3])
               : "l"(from + 2)
               : "memory");
  if (flag[0] == 0 || flag[1] == 0 || flag[2] == 0 || flag[3] == 0) return false;
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(from), "r"(0U) : "memory");
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(from + 2), "r"(0U) : "memory");
  return true;
}

/// Polls until `there` returns true, the sender has closed the connection, or `timeout` nanoseconds have passed.
template <class There>
__device__ __forceinline__ void wait_until(std::uint32_t const* closed, Index timeout, There const& there) {
  std::uint64_t const begin = timeout > 0 ? nanoseconds() : 0;
  for (unsigned tries = 1; !there(); ++tries) {
    if (tries % 256 != 0) continue;
    if (load_acquire(closed) != 0) {
      (void)there();  // messages sent before the close have arrived
      return;
    }
    if (timeout > 0 && nanoseconds() - begin > static_cast<std::uint64_t>(timeout)) return;
  }
}

enum class Flags { beside, inside_target, inside_source };

/// Copies some entries of a box, from `first` on. A message holds a box's entries contiguously.
template <Flags flags, int threads, class Word>
__device__ __forceinline__ void copy(PartedBox const& box, BoxBuffer const& source, BoxBuffer const& target,
                                     Index first, int count, Index timeout) {
  Word* const from = reinterpret_cast<Word*>(source.memory) + box.from.first;
  Word* const to = reinterpret_cast<Word*>(target.memory) + box.to.first;
  // Whole planes first, so that the rest fits 32 bits.
  auto const row = static_cast<unsigned>(box.extents[0]);
  auto const rows = static_cast<unsigned>(box.extents[1]);
  Index const plane_entries = Index{row} * rows;
  Index const planes = box.entries > 0x7fffffff ? first / plane_entries : 0;
  auto const rest = static_cast<unsigned>(first - planes * plane_entries);
  auto const place = [&](BoxPlace const& at, int n) {
    unsigned const entry = rest + static_cast<unsigned>(n);
    unsigned const line = entry / row;
    return Index{entry % row} + Index{line % rows} * at.row + (planes + line / rows) * at.plane;
  };
  constexpr int words = sizeof(Word) / 4;
  if constexpr (flags == Flags::inside_target) {
    uint2* const pairs = reinterpret_cast<uint2*>(target.memory) + words * (box.to.first + first);
    for (int n = static_cast<int>(threadIdx.x); n < count; n += threads) {
      store_pairs(pairs + words * n, from[place(box.from, n)]);
    }
  } else if constexpr (flags == Flags::inside_source) {
    uint2* const pairs = reinterpret_cast<uint2*>(source.memory) + words * (box.from.first + first);
    for (int n = static_cast<int>(threadIdx.x); n < count; n += threads) {
      Word value{};
      wait_until(source.flags.closed, timeout, [&] { return take_pairs(pairs + words * n, value); });
      to[place(box.to, n)] = value;
    }
  } else {
    constexpr int at_a_time = 4;  // loads in flight
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += at_a_time * threads) {
      Word word[at_a_time];
#pragma unroll
      for (int n = 0; n < at_a_time; ++n) {
        if (begin + n * threads < count) word[n] = from[place(box.from, begin + n * threads)];
      }
#pragma unroll
      for (int n = 0; n < at_a_time; ++n) {
        if (begin + n * threads < count) to[place(box.to, begin + n * threads)] = word[n];
      }
    }
  }
}

template <Flags flags, int threads>
__device__ __forceinline__ void copy(PartedBox const& box, BoxBuffer const& source, BoxBuffer const& target,
                                     Index first, int count, Index timeout) {
  if (box.bytes_per_entry == 16) {
    copy<flags, threads, uint4>(box, source, target, first, count, timeout);
  } else if (box.bytes_per_entry == 8) {
    copy<flags, threads, uint2>(box, source, target, first, count, timeout);
  } else {
    copy<flags, threads, unsigned>(box, source, target, first, count, timeout);
  }
}

template <int threads, class AnyTask>
__device__ __forceinline__ void copy_part(AnyTask const& task, int part) {
  int low = 0;
  for (int high = task.box_count; high - low > 1;) {
    int const middle = (low + high) / 2;
    (task.boxes[middle].first_part <= part ? low : high) = middle;
  }
  PartedBox const& box = task.boxes[low];
  int const number = part - box.first_part;
  Index const first = Index{number} * box.entries_a_part;
  int const count = static_cast<int>(min(Index{box.entries_a_part}, box.entries - first));
  BoxBuffer const& source = task.buffers[box.from.buffer];
  BoxBuffer const& target = task.buffers[box.to.buffer];
  if (target.flags.inside) {
    copy<Flags::inside_target, threads>(box, source, target, first, count, task.timeout);
  } else if (source.flags.inside) {
    copy<Flags::inside_source, threads>(box, source, target, first, count, task.timeout);
  } else {
    if (source.flags.parts != nullptr) {
      if (threadIdx.x == 0) task.await(source.flags, box.first_flag + number);
      __syncthreads();
    }
    copy<Flags::beside, threads>(box, source, target, first, count, task.timeout);
    if (target.flags.parts != nullptr) {
      __syncthreads();
      Index const entry = box.bytes_per_entry;
      task.signal(target, box.first_flag + number, (box.to.first + first) * entry, count * entry);
    }
  }
}

/// Each block copies parts in their order, with a stride of the number of blocks.
template <int threads, class AnyTask>
__global__ void __launch_bounds__(threads) copy_parts(__grid_constant__ AnyTask const task) {
  for (int n = static_cast<int>(blockIdx.x); n < task.parts; n += static_cast<int>(gridDim.x)) {
    copy_part<threads>(task, task.order != nullptr ? task.order[n] : n);
  }
}

/// The number of blocks that are resident at a time, so that none waits for one that has not begun.
template <int threads, class AnyTask>
int most_blocks() {
  static int const blocks = [] {
    int device = 0;
    int multiprocessors = 0;
    int of_one = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, copy_parts<threads, AnyTask>, threads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return std::min(most_threads / threads, std::max(1, multiprocessors * of_one));
  }();
  return blocks;
}

template <int threads, class AnyTask>
void enqueue(cudaStream_t stream, AnyTask const& task) {
  auto const blocks = static_cast<unsigned>(std::min(task.parts, most_blocks<threads, AnyTask>()));
  copy_parts<threads><<<blocks, threads, 0, stream>>>(task);
}
template <class AnyTask>
void enqueue(cudaStream_t stream, AnyTask const& task, int threads) {
  threads == few_threads ? enqueue<few_threads>(stream, task) : enqueue<many_threads>(stream, task);
}

/// Signals parts of messages by flags, which the sender sets and the receiver clears.
struct FlagTask : Task {
  __device__ __forceinline__ void await(PartFlags const& flags, int part) const {
    std::uint32_t* const flag = flags.parts + part;
    wait_until(flags.closed, timeout, [&] { return load_acquire(flag) != 0; });
    *flag = 0;  // the sender sets it again only after it has received a part that is sent after this
  }
  __device__ __forceinline__ void signal(BoxBuffer const& target, int part, Index, Index) const {
    if (threadIdx.x == 0) store_release(target.flags.parts + part, 1);
  }
};

/// Whether this many buffers and boxes fit into launch arguments.
[[nodiscard]] inline bool travel(std::size_t buffers, std::size_t boxes) {
  return LargeTask<Task>::has_room_for(buffers, boxes);
}

/// Enqueues the copies. `task`: all arguments but buffers and boxes.
template <class Base>
void launch_parts(PartLaunch const& launch, Base task) {
  static_assert(sizeof(LargeTask<Base>) <= 4096);  // limit of launch arguments
  task.order = launch.order;
  task.box_count = static_cast<int>(launch.boxes.size());
  task.parts = launch.parts;
  task.timeout = launch.timeout;
  std::size_t const buffer_count = launch.buffers.size();
  if (SmallTask<Base>::has_room_for(buffer_count, launch.boxes.size())) {
    enqueue(launch.stream, SmallTask<Base>(task, launch.buffers, launch.boxes), launch.threads);
  } else if (LargeTask<Base>::has_room_for(buffer_count, launch.boxes.size())) {
    enqueue(launch.stream, LargeTask<Base>(task, launch.buffers, launch.boxes), launch.threads);
  } else {
    enqueue(launch.stream, StayingTask<Base>{task, launch.buffers_on_device, launch.boxes_on_device}, launch.threads);
  }
  check(cudaGetLastError(), "halo: copy_parts");
}

}  // namespace halocline::cuda
