#include <Kokkos_Core.hpp>
#include <algorithm>

#include "framework/halo/transport.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/mpi_check.hpp"

namespace halocline {

namespace {

/// Of all messages of all channels: MPI keeps the order of messages between two ranks, and channels keep theirs.
constexpr int tag = 1;

/// Host memory that the device reads and writes directly where there is such a thing.
using Staging = Kokkos::SharedHostPinnedSpace;
constexpr bool staged = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

Index total(std::vector<Message> const& messages) {
  Index end = 0;
  for (Message const& message : messages) end = std::max(end, message.offset + message.bytes);
  return end;
}

/// A buffer in the backend's memory and, where MPI cannot reach that, its double on the host.
class Buffer {
 public:
  explicit Buffer(Index bytes)
      : work_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo buffer"), static_cast<std::size_t>(bytes)) {
    if constexpr (staged) {
      host_ = decltype(host_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo staging"), work_.extent(0));
    }
  }
  [[nodiscard]] std::byte* work() const { return work_.data(); }
  [[nodiscard]] std::byte* host() const {
    if constexpr (staged) return host_.data();
    return work_.data();
  }
  void to_host(Execution const& execution) const {
    if constexpr (staged) Kokkos::deep_copy(execution, host_, work_);
  }
  void from_host(Execution const& execution) const {
    if constexpr (staged) Kokkos::deep_copy(execution, work_, host_);
  }

 private:
  Kokkos::View<std::byte*, Memory> work_;
  Kokkos::View<std::byte*, Staging> host_;
};

struct Buffers {
  Buffers(Index sent_bytes, Index received_bytes) : sent(sent_bytes), received(received_bytes) {}
  Buffer sent;
  Buffer received;
};

class HostStagedChannel final : public Channel {
 public:
  HostStagedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                    std::vector<Message> const& receives)
      : communicator_(communicator),
        buffers_(std::make_shared<Buffers>(total(sends), total(receives))),
        receives_(receives.size()) {
    // Receives come first, so that one range starts them and one waits for everything.
    for (Message const& message : receives) {
      requests_.push_back(
          communicator.receive_init(buffers_->received.host() + message.offset, message.bytes, message.rank, tag));
    }
    for (Message const& message : sends) {
      requests_.push_back(
          communicator.send_init(buffers_->sent.host() + message.offset, message.bytes, message.rank, tag));
    }
  }
  ~HostStagedChannel() override { Communicator::abandon(requests_, buffers_); }
  HostStagedChannel(HostStagedChannel const&) = delete;
  HostStagedChannel& operator=(HostStagedChannel const&) = delete;

  std::byte* send_buffer() override { return buffers_->sent.work(); }
  std::byte* receive_buffer() override { return buffers_->received.work(); }
  void expect() override {
    if constexpr (!staged) start(0, receives_);
  }
  void send() override {
    buffers_->sent.to_host(execution_);
    execution_.fence("halo: packed");
    // What came last may only now be off the staging buffer, which the device reads in its own time.
    start(staged ? 0 : receives_, requests_.size());
  }
  bool progress() override { return communicator_.test_all(requests_); }
  void receive() override {
    communicator_.wait_all(requests_);
    buffers_->received.from_host(execution_);
  }

 private:
  void start(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    check_mpi(MPI_Startall(static_cast<int>(end - begin), requests_.data() + begin), "MPI_Startall");
  }

  Communicator const& communicator_;
  Execution execution_;
  std::shared_ptr<Buffers> buffers_;  ///< shared with what is abandoned: MPI may still write there
  std::size_t receives_;
  std::vector<MPI_Request> requests_;
};

class HostStagedTransport final : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "host-staged MPI"; }
  std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                std::vector<Message> const& receives) override {
    return std::make_unique<HostStagedChannel>(communicator, sends, receives);
  }
};

}  // namespace

std::shared_ptr<Transport> host_staged_transport() { return std::make_shared<HostStagedTransport>(); }

}  // namespace halocline
