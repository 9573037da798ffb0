#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/halo/transport.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline::cuda {

/// What kernels exchange alone, in two buffers in turn: the host counts uses, and enqueues. What is written now was
/// read two uses ago, since kernels of the neighbour have sent their last message after that.
class KernelChannel : public Channel {
 public:
  explicit KernelChannel(Communicator const& communicator) : communicator_(communicator) {}
  void expect() final { ++use_; }
  void send() final {}
  bool progress() final { return true; }
  // The host waits for nothing here: it hears of failures in time if it asks now and then.
  void receive() final {
    if (use_ % 32 == 0) communicator_.poll();
  }
  [[nodiscard]] std::optional<int> buffer_index() const final { return static_cast<int>(buffer()); }
  void replayed() final {
    expect();
    receive();
  }

 protected:
  /// That of this use.
  [[nodiscard]] std::size_t buffer() const { return use_ % 2; }

 private:
  Communicator const& communicator_;
  std::uint64_t use_ = 0;
};

}  // namespace halocline::cuda
