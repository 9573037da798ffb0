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
  Index boxes = 1;  ///< that it is made of
};

/// Words in device memory by which kernels of two ranks tell each other what is there of a message, of which there is a
/// part for each `part_bytes` of each box. Who packs sets a word to 1, who unpacks waits for that and sets it to 0.
struct PartFlags {
  std::uint32_t* parts = nullptr;  ///< one for each part, from box to box
  /// Each four bytes of the message are followed by a word of their own: its memory is twice as large, and zero at
  /// first.
  bool inside = false;
  bool of_launcher = false;  ///< they mean what the channel's launcher makes of them
  /// Not 0 when the sender is gone: nothing will come any more. Null on the sender's side.
  std::uint32_t const* closed = nullptr;
  /// Whether there are any. Without, the channel tells.
  [[nodiscard]] constexpr bool any() const { return parts != nullptr || inside; }
};
/// Whether a message with flags has them inside: what is small takes longer to be told of than to be carried twice.
[[nodiscard]] constexpr bool flags_inside(Index message_bytes) { return message_bytes <= 131072; }
/// Small messages are cut for many to carry at a time, large ones so that what has come is unpacked while more is on
/// its way.
[[nodiscard]] constexpr Index part_bytes(Index message_bytes) {
  if (flags_inside(message_bytes)) return 1024;
  Index bytes = 4096;
  while (bytes < 65536 && message_bytes / bytes > 256) bytes *= 2;
  return bytes;
}

/// The open connection of one exchange to its neighbours, used again and again: expect, pack into the memory of what is
/// sent, send, receive, unpack from the memory of what was received. That memory is in the backend's reach, 64-byte
/// aligned, and the same from one `expect` to the next, as flags are.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Memory for the n-th of the messages that the channel was opened to send.
  [[nodiscard]] virtual std::byte* send_memory(std::size_t n) = 0;
  /// Memory of the n-th of those that it receives.
  [[nodiscard]] virtual std::byte* receive_memory(std::size_t n) = 0;
  /// Of the n-th message sent and received, where kernels are to tell each other.
  [[nodiscard]] virtual PartFlags send_flags(std::size_t) { return {}; }
  [[nodiscard]] virtual PartFlags receive_flags(std::size_t) { return {}; }
  /// Who packs and unpacks where some flags have a meaning of their own; null: none have. On a CUDA device.
  [[nodiscard]] virtual cuda::PartLauncher const* launcher() const { return nullptr; }
  /// Begins a use, before anything is packed.
  virtual void expect() = 0;
  /// Sends what kernels enqueued so far have packed; waits for those kernels where it must.
  virtual void send() = 0;
  /// Lets messages go on while others work. Whether all have come; `receive` is needed all the same. Throws RemoteError
  /// when a rank has failed.
  [[nodiscard]] virtual bool progress() = 0;
  /// Returns when kernels enqueued from now on find what was received, those parts that have flags once they have
  /// waited for them. Throws RemoteError when a rank has failed.
  virtual void receive() = 0;
  /// Where the host takes no part in a use: which of the places that messages take in turn is that of the next one.
  /// Kernels enqueued for one use may be enqueued again for another whose turn it is.
  [[nodiscard]] virtual std::optional<int> buffer_index() const { return std::nullopt; }
  /// What was enqueued for one use was enqueued again. Throws RemoteError when a rank has failed.
  virtual void replayed() {}
};

/// A way to carry messages between ranks.
class Transport {
 public:
  virtual ~Transport() = default;
  /// What decks and records call it.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Each send is matched by a receive of the same size on the rank it names, and ranks that send to each other do so
  /// both ways. Channels between the same ranks are opened in the same order on both, and so is each use of them begun.
  /// Throws InputOutputError where a neighbour cannot be reached; both ends of such a pair do.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(Communicator const& communicator,
                                                      std::vector<Message> const& sends,
                                                      std::vector<Message> const& receives) const = 0;
};

/// A transport by channels of one class, which is made from `more`, too.
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

/// What is known of a transport before it is made.
struct TransportEntry {
  std::string name;
  std::string sentence;
  bool across_hosts;                           ///< reaches ranks of other hosts
  std::string obstacle;                        ///< why this build has no use for it; empty: it has
  std::shared_ptr<Transport const> (*make)();  ///< may be null where there is an obstacle
  /// Why this machine has no use for it, as far as this rank has to find out: what one rank finds holds for all. Not to
  /// be called where the build has an obstacle; null: there is nothing to find out.
  std::string (*probe)(Communicator const&) = nullptr;
  /// Whether it takes seconds to start: a choice by measurement remembers where others were faster.
  bool starts_slowly = false;
};
/// All of them, whether or not this build has a use for them; the first reaches every rank in every build.
[[nodiscard]] std::span<TransportEntry const> known_transports();

/// Messages pass through host memory and MPI. Where the backend's memory is the host's, nothing is copied. On a CUDA
/// device the copies run beside whatever is swept meanwhile, each under the message before it.
[[nodiscard]] std::shared_ptr<Transport const> mpi_host_transport();

/// The same from and to the backend's memory, whatever that is. MPI that cannot read a device's ends the process:
/// runtime/gpu_aware_mpi.hpp tells.
[[nodiscard]] std::shared_ptr<Transport const> mpi_device_transport();

/// Ranks of one host pack right into memory of the host that the receiver shares with them, in two alternating buffers,
/// and raise a flag there. No message, no library in between. Kernels of a CUDA device do so themselves; that memory is
/// pinned then, and the host takes no part in it.
[[nodiscard]] std::shared_ptr<Transport const> shared_memory_transport();

/// Kernels of one host's ranks pack right into device memory that the receiver shares with them, in two alternating
/// buffers, and set flags there; the host takes no part in it. CUDA alone.
[[nodiscard]] std::shared_ptr<Transport const> cuda_ipc_transport();

/// Sends and receives of NVIDIA's collective library (NCCL), one GPU for each rank. CUDA alone, and only where the
/// library was found by CMake and by this machine.
[[nodiscard]] std::shared_ptr<Transport const> nccl_transport();

/// Kernels put messages into the memory of their receivers by NVSHMEM, with a signal for each part, one GPU for each
/// rank; the host takes no part in it. CUDA alone, and only where the library was found by CMake and by this machine.
[[nodiscard]] std::shared_ptr<Transport const> nvshmem_transport();

}  // namespace halocline
