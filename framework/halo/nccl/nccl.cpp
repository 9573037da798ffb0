#include <Kokkos_Core.hpp>
#include <exception>
#include <memory>
#include <vector>

#include "framework/halo/cuda/message_stream.hpp"
#include "framework/halo/nccl/nccl_group.hpp"
#include "framework/halo/transport.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

// The transport `nccl`: sends and receives of NVIDIA's collective library on the message stream.

namespace halocline::nccl {
namespace {

constexpr Index alignment = 256;  // bytes

/// Consecutive messages in device memory.
struct Buffer {
  explicit Buffer(std::vector<Message> const& messages) {
    Index end = 0;
    for (Message const& message : messages) {
      begins.push_back(end);
      end += round_up(message.bytes, alignment);
    }
    memory =
        decltype(memory)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo buffer"), static_cast<std::size_t>(end));
  }
  [[nodiscard]] std::byte* at(std::size_t n) const { return memory.data() + begins[n]; }
  std::vector<Index> begins;
  Kokkos::View<std::byte*, Kokkos::CudaSpace> memory;
};

/// The host only enqueues, so an exchange may be captured in a graph and replayed.
class NcclChannel final : public Channel {
 public:
  NcclChannel(Communicator const& communicator, std::vector<Message> const& sends, std::vector<Message> const& receives)
      : communicator_(communicator),
        group_(Group::of(communicator)),
        sends_(sends),
        receives_(receives),
        sent_(sends),
        received_(receives) {
    std::vector<int> const peers = group_.peers(communicator);
    for (auto* const messages : {&sends_, &receives_}) {
      for (Message& message : *messages) message.rank = peers[static_cast<std::size_t>(message.rank)];
    }
  }
  ~NcclChannel() override {
    // After a failure, a kernel may wait for a message that never arrives.
    bool failed = std::uncaught_exceptions() > 0;
    while (!failed && cudaStreamQuery(stream().stream()) == cudaErrorNotReady) {
      try {
        communicator_.poll();
      } catch (std::exception const&) {
        failed = true;
      }
    }
    if (failed) group_.fail();
  }
  NcclChannel(NcclChannel const&) = delete;
  NcclChannel& operator=(NcclChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override { return sent_.at(n); }
  std::byte* receive_memory(std::size_t n) override { return received_.at(n); }
  void expect() override {}
  void send() override {
    stream().follow(main_stream());
    bool enqueued = group_.use([this](ncclComm_t communicator) { enqueue(communicator); });
    // A non-blocking communicator may still be connecting to a peer for the first time. This wait also reports the
    // failure of another rank.
    communicator_.wait_until([&] {
      ncclResult_t state = ncclSuccess;
      enqueued = enqueued && group_.use([&](ncclComm_t communicator) {
        check(ncclCommGetAsyncError(communicator, &state), "ncclCommGetAsyncError");
        check(state, "a message");
      });
      return enqueued && state != ncclInProgress;
    });
  }
  bool progress() override { return true; }
  void receive() override {
    stream().precede(main_stream());
    poll_sometimes();
  }
  [[nodiscard]] std::optional<int> buffer_index() const override { return 0; }
  void replayed() override { poll_sometimes(); }

 private:
  static cuda::MessageStream& stream() { return cuda::MessageStream::instance(); }
  static cudaStream_t main_stream() { return Execution().cuda_stream(); }

  void enqueue(ncclComm_t communicator) {
    check(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t n = 0; n < sends_.size(); ++n) {
      auto const bytes = static_cast<std::size_t>(sends_[n].bytes);
      check(ncclSend(sent_.at(n), bytes, ncclInt8, sends_[n].rank, communicator, stream().stream()), "ncclSend");
    }
    for (std::size_t n = 0; n < receives_.size(); ++n) {
      auto const bytes = static_cast<std::size_t>(receives_[n].bytes);
      check(ncclRecv(received_.at(n), bytes, ncclInt8, receives_[n].rank, communicator, stream().stream()), "ncclRecv");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  }
  // The host never waits here, so it polls for failures of other ranks at intervals.
  void poll_sometimes() {
    if (++uses_ % 32 == 0) communicator_.poll();
  }

  Communicator const& communicator_;
  Group& group_;
  std::vector<Message> sends_;  ///< by NCCL rank
  std::vector<Message> receives_;
  Buffer sent_;
  Buffer received_;
  std::uint64_t uses_ = 0;
};

TransportModule const module{
    .probe = Group::make,
    .make = [] { return std::shared_ptr<Transport const>(std::make_shared<TransportBy<NcclChannel>>("nccl")); }};

}  // namespace
}  // namespace halocline::nccl

extern "C" halocline::TransportModule const* halocline_transport_module() { return &halocline::nccl::module; }
