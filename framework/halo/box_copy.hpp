#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "framework/halo/box.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

namespace cuda {
class PartCopies;
class PartLauncher;
}  // namespace cuda

/// The queue on which copies are enqueued.
#if defined(KOKKOS_ENABLE_CUDA)
using KernelQueue = cudaStream_t;
#else
using KernelQueue = Execution const&;
#endif

/// All buffers. Setting the same values again is cheap: the device's copy is updated only after a change.
class BoxBuffers {
 public:
  explicit BoxBuffers(std::size_t count = 0);
  void set(std::size_t buffer, void* memory, PartFlags flags = {});
  /// How long a kernel waits for a part of a message, in nanoseconds; 0: until its sender has closed the connection.
  void set_timeout(Index nanoseconds) { timeout_ = nanoseconds; }
  [[nodiscard]] Index timeout() const { return timeout_; }
  /// Sets what enqueues the copies; null: the copies themselves. On a CUDA device.
  void set_launcher(cuda::PartLauncher const* launcher) { launcher_ = launcher; }
  [[nodiscard]] cuda::PartLauncher const* launcher() const { return launcher_; }
  /// All buffers, in host memory.
  [[nodiscard]] std::vector<BoxBuffer> const& all() const { return buffers_; }
  /// All buffers, in memory of kernels that are enqueued on `queue` from now on.
  [[nodiscard]] BoxBuffer const* for_kernels(KernelQueue queue);

 private:
  std::vector<BoxBuffer> buffers_;
  Kokkos::View<BoxBuffer*, Memory> memory_;
  Index timeout_ = 0;
  cuda::PartLauncher const* launcher_ = nullptr;
  bool changed_ = true;
};

/// A list of boxes that one kernel copies, of any number, shapes and precisions. Boxes must not overlap.
class BoxCopies {
 public:
  BoxCopies() = default;
  /// `messages`: the buffers that are messages; at most one end of each box lies in one of them.
  explicit BoxCopies(std::vector<BoxCopy> const& copies, std::vector<MessageBuffer> const& messages = {});

  [[nodiscard]] bool empty() const { return entries_ == 0; }
  /// Enqueues the copies. Where a buffer has flags, the kernel waits for each part of a message before it unpacks it,
  /// and sets the flag of each part that it has packed.
  void run(Execution const& execution, BoxBuffers& buffers) const;
#if defined(KOKKOS_ENABLE_CUDA)
  void run(cudaStream_t stream, BoxBuffers& buffers) const;
#endif
  /// The same for outgoing and incoming boxes in one kernel: both ends of every message have flags.
  static void run(Execution const& execution, BoxBuffers& buffers, BoxCopies const& outgoing,
                  BoxCopies const& incoming);

  /// Whether the kernels of both lists, alone or combined, get all their data as launch arguments, so that a launch may
  /// be repeated later.
  [[nodiscard]] static bool travel(BoxBuffers const& buffers, BoxCopies const& outgoing, BoxCopies const& incoming);

#if !defined(KOKKOS_ENABLE_CUDA)
  /// Some rows of one box, copied by one host thread at a time; on a device a whole box.
  struct Piece {
    BoxCopy copy;
    Index first_entry;  ///< entries of all pieces before this one
    Index first_row;    ///< of the box; rows are counted along y, then z
    Index rows;
  };
  struct Kernel;
#endif

 private:
#if defined(KOKKOS_ENABLE_CUDA)
  std::shared_ptr<cuda::PartCopies const> parts_;
#else
  Kokkos::View<Piece*, Memory> pieces_;
#endif
  Index entries_ = 0;
};

}  // namespace halocline
