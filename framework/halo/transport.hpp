#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

class Communicator;

/// One direction of traffic with one neighbouring rank.
struct MessageSize {
  int rank = 0;
  Index bytes = 0;
};

/// The open connection of one exchange to its neighbours, used again and again. Buffers live as long as the channel, in
/// the backend's memory, 64-byte aligned.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Where to pack the n-th message to be sent.
  [[nodiscard]] virtual std::byte* send_buffer(std::size_t n) = 0;
  /// Where the n-th message received lies after `finish`.
  [[nodiscard]] virtual std::byte* receive_buffer(std::size_t n) = 0;
  /// Sends what kernels enqueued on the default execution have packed. Waits for those kernels where it must.
  virtual void start() = 0;
  /// Returns when kernels enqueued from now on find the received messages. Throws RemoteError when a rank has failed.
  virtual void finish() = 0;
};

/// A way to carry messages between ranks.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Collective over the neighbours named: each send here is matched by a receive there of the same size, and channels
  /// are opened, and each started, in the same order on all ranks.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(Communicator const& communicator,
                                                      std::vector<MessageSize> const& sends,
                                                      std::vector<MessageSize> const& receives) = 0;
};

/// Messages pass through host memory and MPI: works for every backend and every MPI. On backends whose memory is the
/// host's, nothing is copied.
[[nodiscard]] std::shared_ptr<Transport> host_staged_transport();

}  // namespace halocline
