#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/halo/transport.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline::cuda {

/// An exchange by kernels alone, in two alternating buffers; the host counts exchanges and enqueues. A buffer may be
/// overwritten: the neighbour read it two exchanges ago, before it sent the last message.
class KernelChannel : public Channel {
 public:
  explicit KernelChannel(Communicator const& communicator) : communicator_(communicator) {}
  void expect() final { ++use_; }
  void send() final {}
  bool progress() final { return true; }
  // The host never waits here, so it polls for failures of other ranks at intervals.
  void receive() final {
    if (use_ % 32 == 0) communicator_.poll();
  }
  [[nodiscard]] std::optional<int> buffer_index() const final { return static_cast<int>(buffer()); }
  void replayed() final {
    expect();
    receive();
  }

 protected:
  /// Buffer index of the current exchange.
  [[nodiscard]] std::size_t buffer() const { return use_ % 2; }

 private:
  Communicator const& communicator_;
  std::uint64_t use_ = 0;
};

}  // namespace halocline::cuda
