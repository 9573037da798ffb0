#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

class Communicator;
namespace cuda {
class PartLauncher;
}

/// What one rank sends to, or receives from, one neighbour.
struct Message {
  int rank = 0;
  Index bytes = 0;
  Index boxes = 1;  ///< number of boxes in it
};

/// Words in device memory by which kernels of two ranks signal which parts of a message have arrived; each box has a
/// part for each `part_bytes`. The packing kernel sets a word to 1; the unpacking kernel waits for that and clears it.
struct PartFlags {
  std::uint32_t* parts = nullptr;  ///< one for each part, from box to box
  /// Each four bytes of the message are followed by a flag word: the message takes twice the memory, which is zero at
  /// first.
  bool inside = false;
  bool of_launcher = false;  ///< their meaning is defined by the channel's launcher
  /// Non-zero when the sender has closed the connection: no message will follow. Null on the sender's side.
  std::uint32_t const* closed = nullptr;
  /// Whether there are flags. Without them, the channel reports arrival.
  [[nodiscard]] constexpr bool any() const { return parts != nullptr || inside; }
};
/// Whether the flags lie inside the message: a small message takes less time to send twice than to signal.
[[nodiscard]] constexpr bool flags_inside(Index message_bytes) { return message_bytes <= 131072; }
/// Small messages are divided so that many blocks carry them, large ones so that arrived parts are unpacked while
/// others are in flight.
[[nodiscard]] constexpr Index part_bytes(Index message_bytes) {
  if (flags_inside(message_bytes)) return 1024;
  Index bytes = 4096;
  while (bytes < 65536 && message_bytes / bytes > 256) bytes *= 2;
  return bytes;
}

/// The open connection of one exchange to its neighbours, used repeatedly: expect, pack into the memory of sent
/// messages, send, receive, unpack from the memory of received messages. Kernels of the backend can access that memory.
/// It is 64-byte aligned, and it and the flags stay the same from one `expect` to the next.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Memory of the n-th sent message, in the order of `open`.
  [[nodiscard]] virtual std::byte* send_memory(std::size_t n) = 0;
  /// Memory of the n-th received message.
  [[nodiscard]] virtual std::byte* receive_memory(std::size_t n) = 0;
  /// Flags of the n-th sent or received message, where kernels signal to each other.
  [[nodiscard]] virtual PartFlags send_flags(std::size_t) { return {}; }
  [[nodiscard]] virtual PartFlags receive_flags(std::size_t) { return {}; }
  /// Enqueues packing and unpacking where some flags have a special meaning, otherwise null. On a CUDA device.
  [[nodiscard]] virtual cuda::PartLauncher const* launcher() const { return nullptr; }
  /// Begins an exchange, before anything is packed.
  virtual void expect() = 0;
  /// Sends what the kernels enqueued so far have packed; waits for those kernels if necessary.
  virtual void send() = 0;
  /// Advances messages while other work runs. Returns whether all have arrived; `receive` must still be called. Throws
  /// RemoteError when a rank has failed.
  [[nodiscard]] virtual bool progress() = 0;
  /// Returns when kernels enqueued from now on can read the received messages; kernels still wait for parts with flags.
  /// Throws RemoteError when a rank has failed.
  virtual void receive() = 0;
  /// Where the host takes no part in an exchange: buffer index (0 or 1) of the next one. Kernels enqueued for one
  /// exchange may be enqueued again for another with the same index.
  [[nodiscard]] virtual std::optional<int> buffer_index() const { return std::nullopt; }
  /// Whether kernels alone exchange, with devices that are all linked by NVLink.
  [[nodiscard]] virtual bool is_over_nvlink() const { return false; }
  /// Call when the kernels of an exchange were enqueued again. Throws RemoteError when a rank has failed.
  virtual void replayed() {}
};

/// A mechanism that carries messages between ranks.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Its name in decks and records.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Each send must match a receive of the same size on the other rank, and ranks that exchange messages must do so in
  /// both directions. Both ranks must open the channels between them, and begin exchanges, in the same order. Throws
  /// InputOutputError on both ranks of a pair that cannot connect.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(Communicator const& communicator,
                                                      std::vector<Message> const& sends,
                                                      std::vector<Message> const& receives) const = 0;
};

/// A transport whose channels are of one class, constructed with the additional arguments `more`.
template <class AChannel, class... More>
class TransportBy final : public Transport {
 public:
  explicit TransportBy(std::string name, More... more) : name_(std::move(name)), more_(more...) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    auto const make = [&](auto&... more) { return std::make_unique<AChannel>(communicator, sends, receives, more...); };
    return std::apply(make, more_);
  }

 private:
  std::string name_;
  std::tuple<More...> more_;
};

/// Description of a transport, before it is made.
struct TransportEntry {
  std::string name;
  std::string sentence;
  bool across_hosts;                           ///< reaches ranks of other hosts
  std::string obstacle;                        ///< why this build cannot use it; empty: it can
  std::shared_ptr<Transport const> (*make)();  ///< may be null if there is an obstacle
  /// Returns why this machine cannot use it; the finding of any rank applies to all. Do not call it if the build has an
  /// obstacle; null: nothing to check.
  std::string (*probe)(Communicator const&) = nullptr;
  /// Whether it takes seconds to start; a choice by measurement remembers if others were faster.
  bool starts_slowly = false;
};
/// All transports, usable in this build or not; the first reaches every rank in every build.
[[nodiscard]] std::span<TransportEntry const> known_transports();

/// Messages pass through host memory and MPI; nothing is copied where the backend uses host memory. On a CUDA device
/// the copies overlap with sweeps, and the copy of each part with the sending of the previous one.
[[nodiscard]] std::shared_ptr<Transport const> mpi_host_transport();

/// MPI messages directly from and to the backend's memory. An MPI that cannot access device memory would end the
/// process: check with runtime/gpu_aware_mpi.hpp.
[[nodiscard]] std::shared_ptr<Transport const> mpi_device_transport();

/// Ranks of one host pack directly into host memory that the receiver shares, in two alternating buffers, and set a
/// flag there, without messages or a library. Kernels of a CUDA device do so themselves, in pinned memory; the host is
/// not involved then.
[[nodiscard]] std::shared_ptr<Transport const> shared_memory_transport();

/// Kernels of one host's ranks pack directly into device memory that the receiver shares, in two alternating buffers,
/// and set flags there; the host is not involved. CUDA only.
[[nodiscard]] std::shared_ptr<Transport const> cuda_ipc_transport();

/// Sends and receives of NVIDIA's collective library (NCCL), one GPU per rank. CUDA only, and only where CMake found
/// the library and this machine has it.
[[nodiscard]] std::shared_ptr<Transport const> nccl_transport();

/// Kernels put messages into their receivers' memory by NVSHMEM, with a signal for each part, one GPU per rank; the
/// host is not involved. CUDA only, and only where CMake found the library and this machine has it.
[[nodiscard]] std::shared_ptr<Transport const> nvshmem_transport();

}  // namespace halocline
