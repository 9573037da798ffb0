#include "framework/halo/box_copy.hpp"

#include <algorithm>

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/halo/cuda/part_copies.hpp"
#include "framework/runtime/cuda_check.hpp"
#endif

namespace halocline {

BoxBuffers::BoxBuffers(std::size_t count) : buffers_(count) {}

void BoxBuffers::set(std::size_t buffer, void* memory, PartFlags flags) {
  BoxBuffer& at = buffers_[buffer];
  auto const address = reinterpret_cast<std::uintptr_t>(memory);
  changed_ = changed_ || at.memory != address || at.flags.parts != flags.parts || at.flags.inside != flags.inside ||
             at.flags.closed != flags.closed;
  at = {address, flags};
}

BoxBuffer const* BoxBuffers::for_kernels(KernelQueue queue) {
  if constexpr (memory_on_host) return buffers_.data();
  if (memory_.extent(0) != buffers_.size()) {
    memory_ = decltype(memory_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo buffers"), buffers_.size());
  }
  if (changed_) {
#if defined(KOKKOS_ENABLE_CUDA)
    cuda::check(cudaMemcpyAsync(memory_.data(), buffers_.data(), buffers_.size() * sizeof(BoxBuffer),
                                cudaMemcpyHostToDevice, queue),
                "cudaMemcpyAsync");
#else
    using Unmanaged = Kokkos::View<BoxBuffer*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(queue, memory_, Unmanaged(buffers_.data(), buffers_.size()));
#endif
  }
  changed_ = false;
  return memory_.data();
}

#if defined(KOKKOS_ENABLE_CUDA)

BoxCopies::BoxCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const& messages)
    : parts_(std::make_shared<cuda::PartCopies>(copies, messages)) {
  for (BoxCopy const& copy : copies) entries_ += copy.entries();
}

void BoxCopies::run(cudaStream_t stream, BoxBuffers& buffers) const {
  if (!empty()) parts_->run(stream, buffers);
}

void BoxCopies::run(Execution const& execution, BoxBuffers& buffers) const { run(execution.cuda_stream(), buffers); }

void BoxCopies::run(Execution const& execution, BoxBuffers& buffers, BoxCopies const& outgoing,
                    BoxCopies const& incoming) {
  cuda::PartCopies::run(execution.cuda_stream(), buffers, *outgoing.parts_, *incoming.parts_);
}

bool BoxCopies::travel(BoxBuffers const& buffers, BoxCopies const& outgoing, BoxCopies const& incoming) {
  return cuda::PartCopies::travel(buffers, *outgoing.parts_, *incoming.parts_);
}

#else

namespace {

/// Entries that a host thread copies at a time; fewer than twice as many are copied by one thread.
constexpr Index entries_per_piece = 8192;

}  // namespace

/// One iteration copies a piece on a host, an entry on a device.
struct BoxCopies::Kernel {
  Piece const* pieces;
  Index count;
  BoxBuffer const* buffers;

  template <class Word>
  KOKKOS_FUNCTION Word* place(BoxPlace const& place, Index j, Index k) const {
    return reinterpret_cast<Word*>(buffers[place.buffer].memory) + place.first + j * place.row + k * place.plane;
  }

  template <class Word>
  KOKKOS_FUNCTION void copy_rows(Piece const& piece) const {
    BoxCopy const& copy = piece.copy;
    Index j = piece.first_row % copy.extents[1];
    Index k = piece.first_row / copy.extents[1];
    for (Index row = 0; row < piece.rows; ++row) {
      Word const* const from = place<Word>(copy.from, j, k);
      Word* const to = place<Word>(copy.to, j, k);
      for (Index i = 0; i < copy.extents[0]; ++i) to[i] = from[i];
      if (++j == copy.extents[1]) {
        j = 0;
        ++k;
      }
    }
  }

  template <class Word>
  KOKKOS_FUNCTION void copy_entry(BoxCopy const& copy, Index entry) const {
    Index const i = entry % copy.extents[0];
    Index const row = entry / copy.extents[0];
    Index const j = row % copy.extents[1];
    Index const k = row / copy.extents[1];
    place<Word>(copy.to, j, k)[i] = place<Word>(copy.from, j, k)[i];
  }

  /// The piece that holds an entry.
  KOKKOS_FUNCTION Piece const& piece_of(Index entry) const {
    Index low = 0;
    Index high = count;
    while (high - low > 1) {
      Index const middle = (low + high) / 2;
      if (pieces[middle].first_entry <= entry) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return pieces[low];
  }

  KOKKOS_FUNCTION void operator()(Index n) const {
    if constexpr (memory_on_host) {
      Piece const& piece = pieces[n];
      if (piece.copy.bytes_per_entry == 4) {
        copy_rows<float>(piece);
      } else {
        copy_rows<double>(piece);
      }
    } else {
      Piece const& piece = piece_of(n);
      if (piece.copy.bytes_per_entry == 4) {
        copy_entry<float>(piece.copy, n - piece.first_entry);
      } else {
        copy_entry<double>(piece.copy, n - piece.first_entry);
      }
    }
  }
};

BoxCopies::BoxCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const&) {
  std::vector<Piece> pieces;
  for (BoxCopy const& copy : copies) {
    if (copy.entries() == 0) continue;
    Index const rows = copy.extents[1] * copy.extents[2];
    Index const at_a_time = memory_on_host ? std::max<Index>(1, entries_per_piece / copy.extents[0]) : rows;
    for (Index row = 0; row < rows; row += at_a_time) {
      Index const taken = std::min(at_a_time, rows - row);
      pieces.push_back({copy, entries_, row, taken});
      entries_ += taken * copy.extents[0];
    }
  }
  pieces_ = Kokkos::View<Piece*, Memory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo boxes"), pieces.size());
  Kokkos::deep_copy(pieces_,
                    Kokkos::View<Piece*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(pieces.data(), pieces.size()));
}

void BoxCopies::run(Execution const& execution, BoxBuffers& buffers) const {
  if (empty()) return;
  auto const count = static_cast<Index>(pieces_.extent(0));
  Kernel const kernel{pieces_.data(), count, buffers.for_kernels(execution)};
  if (memory_on_host && entries_ < 2 * entries_per_piece) {
    // Small messages: a kernel launch would cost more than the copy. Earlier work must complete first.
    execution.fence("halo: before a small copy");
    if constexpr (memory_on_host) {
      for (Index n = 0; n < count; ++n) kernel(n);
    }
    return;
  }
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for("halocline halo", Policy(execution, 0, memory_on_host ? count : entries_), kernel);
}

void BoxCopies::run(Execution const& execution, BoxBuffers& buffers, BoxCopies const& outgoing,
                    BoxCopies const& incoming) {
  outgoing.run(execution, buffers);
  incoming.run(execution, buffers);
}

bool BoxCopies::travel(BoxBuffers const&, BoxCopies const&, BoxCopies const&) { return memory_on_host; }

#endif

}  // namespace halocline
