#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

class Communicator;

/// What one rank sends to, or receives from, one neighbour: a stretch of the channel's buffer.
struct Message {
  int rank = 0;
  Index offset = 0;  ///< bytes from the buffer's beginning
  Index bytes = 0;
};

/// The open connection of one exchange to its neighbours, used again and again: expect, pack into send_buffer, send,
/// receive, unpack from receive_buffer. Buffers live as long as the channel, in the backend's memory, 64-byte aligned.
class Channel {
 public:
  virtual ~Channel() = default;
  [[nodiscard]] virtual std::byte* send_buffer() = 0;
  [[nodiscard]] virtual std::byte* receive_buffer() = 0;
  /// Gets ready to receive, before anything is packed.
  virtual void expect() = 0;
  /// Sends what kernels enqueued so far have packed; waits for those kernels where it must.
  virtual void send() = 0;
  /// Lets messages go on while others work. Whether all have come; `receive` is needed all the same. Throws RemoteError
  /// when a rank has failed.
  [[nodiscard]] virtual bool progress() = 0;
  /// Returns when kernels enqueued from now on find what was received, and may pack again. Throws RemoteError when a
  /// rank has failed.
  virtual void receive() = 0;
};

/// A way to carry messages between ranks.
class Transport {
 public:
  virtual ~Transport() = default;
  /// What records call it: "host-staged MPI".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Each send is matched by a receive of the same size on the rank it names. Channels between the same ranks are
  /// opened in the same order on both, and so is each use of them begun.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(Communicator const& communicator,
                                                      std::vector<Message> const& sends,
                                                      std::vector<Message> const& receives) = 0;
};

/// Messages pass through host memory and MPI: works for every backend and every MPI. Where the backend's memory is the
/// host's, nothing is copied.
[[nodiscard]] std::shared_ptr<Transport> host_staged_transport();

}  // namespace halocline
