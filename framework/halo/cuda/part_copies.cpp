#include "framework/halo/cuda/part_copies.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "framework/halo/cuda/part_kernel.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::cuda {
namespace {

constexpr Index bytes_between_fields = 16384;  ///< in a part of a copy between fields
constexpr Index large_part = 16384;            ///< bytes of a part of a message that count as large
/// How far outgoing parts are ordered before incoming ones, to cover the latency of a part.
constexpr int parts_ahead = 256;

/// The same copy with entries of 16 bytes, if rows begin and end at multiples of that at both ends.
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

template <class Entry>
Kokkos::View<Entry*, Kokkos::CudaSpace> on_device(std::vector<Entry> const& host) {
  Kokkos::View<Entry*, Kokkos::CudaSpace> const device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo parts"),
                                                       host.size());
  Kokkos::deep_copy(device,
                    Kokkos::View<Entry const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()));
  return device;
}

}  // namespace

PartCopies::PartCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const& messages)
    : messages_(messages.size()) {
  Index parts = 0;
  std::map<int, int> flags;  // of the boxes of each message so far
  for (BoxCopy const& narrow : copies) {
    if (narrow.entries() == 0) continue;
    BoxCopy const copy = widened(narrow);
    auto const message = std::find_if(messages.begin(), messages.end(), [&](MessageBuffer const& m) {
      return m.buffer == copy.from.buffer || m.buffer == copy.to.buffer;
    });
    PartedBox box;
    box.from = copy.from;
    box.to = copy.to;
    box.entries = copy.entries();
    box.extents[0] = static_cast<int>(copy.extents[0]);
    box.extents[1] = static_cast<int>(copy.extents[1]);
    box.bytes_per_entry = copy.bytes_per_entry;
    Index const bytes = message == messages.end() ? bytes_between_fields : part_bytes(message->bytes);
    box.entries_a_part = static_cast<int>(bytes / copy.bytes_per_entry);
    box.first_part = static_cast<int>(parts);
    if (message != messages.end()) {
      box.message = message->buffer;
      box.first_flag = flags[box.message];
      flags[box.message] += box.parts();
    }
    parts += box.parts();
    if (parts > std::numeric_limits<int>::max())
      throw DefectError("an exchange has more parts than a 32-bit index can address");
    boxes_.push_back(box);
  }
  work_ = work_of(boxes_, {});
}

PartWork PartCopies::work_of(std::vector<PartedBox> boxes, std::vector<int> const& order) {
  PartWork work;
  work.boxes = std::move(boxes);
  for (PartedBox const& box : work.boxes) work.parts += box.parts();
  work.on_device = on_device(work.boxes);
  work.order = on_device(order);
  return work;
}

void PartCopies::launch(cudaStream_t stream, BoxBuffers& buffers, PartWork const& work, int threads) {
  if (work.parts == 0) return;
  bool const travels = cuda::travel(buffers.all().size(), work.boxes.size());
  PartLaunch const launch{.stream = stream,
                          .buffers = buffers.all(),
                          .boxes = work.boxes,
                          .buffers_on_device = travels ? nullptr : buffers.for_kernels(stream),
                          .boxes_on_device = work.on_device.data(),
                          .order = work.order.extent(0) > 0 ? work.order.data() : nullptr,
                          .parts = work.parts,
                          .timeout = buffers.timeout(),
                          .threads = threads};
  PartLauncher const* const other = buffers.launcher();
  if (other != nullptr) return other->launch(launch);
  launch_parts(launch, FlagTask{});
}

bool PartCopies::travel(BoxBuffers const& buffers, PartCopies const& outgoing, PartCopies const& incoming) {
  return cuda::travel(buffers.all().size(), outgoing.boxes_.size() + incoming.boxes_.size());
}

void PartCopies::run(cudaStream_t stream, BoxBuffers& buffers) const { launch(stream, buffers, work_, few_threads); }

void PartCopies::run(cudaStream_t stream, BoxBuffers& buffers, PartCopies const& outgoing, PartCopies const& incoming) {
  Both& both = outgoing.both_;
  if (both.incoming != &incoming) {
    std::vector<PartedBox> boxes = outgoing.boxes_;
    for (PartedBox box : incoming.boxes_) {
      box.first_part += outgoing.work_.parts;
      boxes.push_back(box);
    }
    // Ordered by number in the message; incoming parts are delayed by `lag`.
    int const lag = parts_ahead / std::max(1, static_cast<int>(outgoing.messages_));
    std::vector<std::pair<int, int>> ordered;
    for (PartedBox const& box : boxes) {
      bool const comes_in = box.first_part >= outgoing.work_.parts;
      for (int n = 0; n < box.parts(); ++n) {
        int const number = box.first_flag + n;
        ordered.emplace_back(comes_in ? 2 * (number + lag) + 1 : 2 * number, box.first_part + n);
      }
    }
    std::sort(ordered.begin(), ordered.end());
    std::vector<int> order;
    for (auto const& [when, part] : ordered) order.push_back(part);
    if (std::is_sorted(order.begin(), order.end())) order.clear();
    both = {&incoming, work_of(std::move(boxes), order)};
  }
  bool const large = std::any_of(both.work.boxes.begin(), both.work.boxes.end(), [](PartedBox const& box) {
    return box.message >= 0 && box.entries_a_part * Index{box.bytes_per_entry} >= large_part;
  });
  launch(stream, buffers, both.work, large ? many_threads : few_threads);
}

}  // namespace halocline::cuda
