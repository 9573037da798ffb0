#include "framework/halo/cuda/part_copies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/runtime/cuda_check.hpp"

namespace halocline::cuda {
namespace {

/// Few, with few registers: such a block fits beside those of a sweep that fills a multiprocessor, and works while that
/// waits for memory.
constexpr int threads = 64;
constexpr Index bytes_between_fields = 32768;  ///< that a block copies where no message is concerned
/// Blocks of what goes out before those of what comes in: the time that a part is on its way.
constexpr Index blocks_ahead = 1024;
/// Slots that travel with a launch; more are in device memory.
constexpr std::size_t most_slots = 96;

struct SlotTable {
  Slot slots[most_slots];
  Slot const* more = nullptr;
  __device__ __forceinline__ Slot const& operator[](int n) const { return more != nullptr ? more[n] : slots[n]; }
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

/// Waits for a part of a message, unless its sender is gone.
__device__ void await(PartFlags const& flags, int number, Index patience) {
  std::uint64_t const begin = patience > 0 ? nanoseconds() : 0;
  for (unsigned tries = 1; load_acquire(flags.parts + number) == 0; ++tries) {
    if (tries % 256 != 0) continue;
    if (load_acquire(flags.closed) != 0) return;
    if (patience > 0 && nanoseconds() - begin > static_cast<std::uint64_t>(patience)) return;
  }
  flags.parts[number] = 0;  // the sender sets it again only when it has seen a part that is sent after this
}

template <class Word>
__device__ __forceinline__ Word* place(SlotTable const& slots, BoxPlace const& at) {
  return reinterpret_cast<Word*>(slots[at.slot].memory) + at.first;
}

template <class Word>
__device__ __forceinline__ void copy(SlotTable const& slots, Run const& run) {
  Word const* const from = place<Word>(slots, run.from);
  Word* const to = place<Word>(slots, run.to);
  auto const row_entries = static_cast<unsigned>(run.extents[0]);
  auto const plane_rows = static_cast<unsigned>(run.extents[1]);
  constexpr int at_a_time = 4;  // loads that are under way
  for (int begin = static_cast<int>(threadIdx.x); begin < run.entries; begin += at_a_time * threads) {
    Word word[at_a_time];
    Index target[at_a_time];
#pragma unroll
    for (int n = 0; n < at_a_time; ++n) {
      int const entry = begin + n * threads;
      if (entry >= run.entries) break;
      unsigned const along = static_cast<unsigned>(run.start[0] + entry);
      unsigned const rows = static_cast<unsigned>(run.start[1]) + along / row_entries;
      Index const i = along % row_entries;
      Index const j = rows % plane_rows;
      Index const k = run.start[2] + static_cast<Index>(rows / plane_rows);
      word[n] = from[i + j * run.from.row + k * run.from.plane];
      target[n] = i + j * run.to.row + k * run.to.plane;
    }
#pragma unroll
    for (int n = 0; n < at_a_time; ++n) {
      if (begin + n * threads < run.entries) to[target[n]] = word[n];
    }
  }
}

__global__ void __launch_bounds__(threads)
    copy_parts(PartCopy const* parts, Run const* runs, Index patience, __grid_constant__ SlotTable const slots) {
  PartCopy const part = parts[blockIdx.x];
  PartFlags const flags = part.slot < 0 ? PartFlags{} : slots[part.slot].flags;
  bool const comes_in = flags.parts != nullptr && flags.closed != nullptr;
  if (comes_in) {
    if (threadIdx.x == 0) await(flags, part.number, patience);
    __syncthreads();
  }
  for (int n = part.first_run; n < part.first_run + part.runs; ++n) {
    Run const& run = runs[n];
    if (run.bytes_per_entry == 16) {
      copy<uint4>(slots, run);
    } else if (run.bytes_per_entry == 8) {
      copy<uint2>(slots, run);
    } else {
      copy<unsigned>(slots, run);
    }
  }
  if (flags.parts != nullptr && !comes_in) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence_system();
      store_release(flags.parts + part.number, 1);
    }
  }
}

/// The same copy by entries of 16 bytes, where rows begin and end at multiples of that in both places.
BoxCopy widened(BoxCopy copy) {
  Index const narrow = 16 / copy.bytes_per_entry;
  bool whole = copy.extents[0] % narrow == 0;
  for (BoxPlace const* const at : {&copy.from, &copy.to}) {
    bool const one_row = copy.extents[1] * copy.extents[2] == 1;
    whole = whole && at->first % narrow == 0 && (one_row || (at->row % narrow == 0 && at->plane % narrow == 0));
  }
  if (!whole) return copy;
  copy.bytes_per_entry = 16;
  copy.extents[0] /= narrow;
  for (BoxPlace* const at : {&copy.from, &copy.to}) {
    at->first /= narrow;
    at->row /= narrow;
    at->plane /= narrow;
  }
  return copy;
}

/// Entries from `begin` to `end` of a box.
Run run_of(BoxCopy const& copy, Index begin, Index end) {
  Run run;
  run.from = copy.from;
  run.to = copy.to;
  Index const row = copy.extents[0];
  Index const plane = row * copy.extents[1];
  run.extents[0] = static_cast<int>(row);
  run.extents[1] = static_cast<int>(copy.extents[1]);
  run.start[0] = static_cast<int>(begin % row);
  run.start[1] = static_cast<int>(begin % plane / row);
  run.start[2] = static_cast<int>(begin / plane);
  run.entries = static_cast<int>(end - begin);
  run.bytes_per_entry = copy.bytes_per_entry;
  return run;
}

}  // namespace

PartCopies::PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageSlot> const& messages)
    : messages_(messages.size()) {
  std::map<std::pair<int, int>, std::vector<Run>> by_part;  // by number, then slot
  int alone = 0;
  for (BoxCopy const& narrow : copies) {
    if (narrow.entries() == 0) continue;
    BoxCopy const copy = widened(narrow);
    Index const size = copy.bytes_per_entry;
    auto const message = std::find_if(messages.begin(), messages.end(), [&](MessageSlot const& m) {
      return m.slot == copy.from.slot || m.slot == copy.to.slot;
    });
    bool const of_message = message != messages.end();
    Index const piece = (of_message ? part_bytes(message->bytes) : bytes_between_fields) / size;
    Index const first = !of_message                       ? 0
                        : message->slot == copy.from.slot ? copy.from.first
                                                          : copy.to.first;  // in the message
    for (Index begin = 0; begin < copy.entries();) {
      Index const number = (first + begin) / piece;
      Index const end = std::min(copy.entries(), (number + 1) * piece - first);
      std::pair<int, int> const part =
          of_message ? std::pair(static_cast<int>(number), message->slot) : std::pair(alone++, -1);
      by_part[part].push_back(run_of(copy, begin, end));
      begin = end;
    }
  }
  for (auto const& [part, runs] : by_part) {
    parts_.push_back({static_cast<int>(runs_.size()), static_cast<int>(runs.size()), part.second, part.first});
    runs_.insert(runs_.end(), runs.begin(), runs.end());
  }
  work_ = upload(parts_, runs_);
}

PartCopies::Work PartCopies::upload(std::vector<PartCopy> const& parts, std::vector<Run> const& runs) {
  auto const to_device = [](auto const& host) {
    using Entry = typename std::decay_t<decltype(host)>::value_type;
    Kokkos::View<Entry*, Kokkos::CudaSpace> const device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo parts"),
                                                         host.size());
    Kokkos::deep_copy(device,
                      Kokkos::View<Entry const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()));
    return device;
  };
  return {to_device(parts), to_device(runs)};
}

void PartCopies::launch(cudaStream_t stream, BoxSlots& slots, Work const& work) {
  auto const blocks = static_cast<unsigned>(work.parts.extent(0));
  if (blocks == 0) return;
  SlotTable table;
  if (slots.all().size() <= most_slots) {
    std::copy(slots.all().begin(), slots.all().end(), table.slots);
  } else {
    table.more = slots.for_kernels(Kokkos::Cuda(stream));
  }
  copy_parts<<<blocks, threads, 0, stream>>>(work.parts.data(), work.runs.data(), slots.patience(), table);
  check(cudaGetLastError(), "halo: copy_parts");
}

void PartCopies::run(cudaStream_t stream, BoxSlots& slots) const { launch(stream, slots, work_); }

void PartCopies::run(cudaStream_t stream, BoxSlots& slots, PartCopies const& outgoing, PartCopies const& incoming) {
  Both& both = outgoing.both_;
  if (both.incoming != &incoming) {
    auto const lag = static_cast<int>(blocks_ahead / std::max<Index>(1, static_cast<Index>(outgoing.messages_)));
    std::vector<std::pair<int, PartCopy>> ordered;
    for (PartCopy const& part : outgoing.parts_) ordered.emplace_back(2 * part.number, part);
    auto const runs_before = static_cast<int>(outgoing.runs_.size());
    for (PartCopy part : incoming.parts_) {
      part.first_run += runs_before;
      ordered.emplace_back(2 * (part.number + lag) + 1, part);
    }
    std::stable_sort(ordered.begin(), ordered.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<PartCopy> parts;
    for (auto const& [order, part] : ordered) parts.push_back(part);
    std::vector<Run> runs = outgoing.runs_;
    runs.insert(runs.end(), incoming.runs_.begin(), incoming.runs_.end());
    both = {&incoming, upload(parts, runs)};
  }
  launch(stream, slots, both.work);
}

}  // namespace halocline::cuda
