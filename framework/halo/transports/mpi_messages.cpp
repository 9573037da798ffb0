#include <Kokkos_Core.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/round_up.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/halo/cuda/staged_channel.hpp"
#endif

namespace halocline {

namespace {

/// One tag for all messages: MPI keeps the order of messages between two ranks, and so do channels.
constexpr int tag = 1;

/// Host memory that the device accesses directly, where the backend has such memory.
using Staging = Kokkos::SharedHostPinnedSpace;

constexpr Index alignment = 64;  // bytes

/// Backend memory that is passed to MPI. It stays until the process ends and is reused by later buffers, because layers
/// below MPI cache device addresses, even after the memory is freed and reallocated.
class KeptMemory {
 public:
  explicit KeptMemory(Index bytes) {
    std::scoped_lock const lock(mutex);
    auto const fits = [&](Piece const& piece) { return bytes <= piece.bytes && piece.bytes <= 2 * bytes; };
    auto const found = std::find_if(free.begin(), free.end(), fits);
    if (found == free.end()) {
      piece_ = {static_cast<std::byte*>(Kokkos::kokkos_malloc<Memory>("halo buffer", static_cast<std::size_t>(bytes))),
                bytes};
    } else {
      piece_ = *found;
      free.erase(found);
    }
  }
  ~KeptMemory() {
    std::scoped_lock const lock(mutex);
    free.push_back(piece_);
  }
  KeptMemory(KeptMemory const&) = delete;
  KeptMemory& operator=(KeptMemory const&) = delete;
  [[nodiscard]] std::byte* data() const { return piece_.memory; }

 private:
  struct Piece {
    std::byte* memory = nullptr;
    Index bytes = 0;
  };
  static inline std::mutex mutex;
  static inline std::vector<Piece> free;
  Piece piece_;
};

/// A buffer for messages in the backend's memory and, if MPI does not access that memory, its copy on the host.
class Buffer {
 public:
  Buffer(std::vector<Message> const& messages, bool staged) : staged_(staged) {
    Index end = 0;
    for (Message const& message : messages) {
      offsets_.push_back(end);
      end += round_up(message.bytes, alignment);
    }
    auto const bytes = static_cast<std::size_t>(end);
    if (staged_) {
      work_ = decltype(work_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo buffer"), bytes);
      host_ = decltype(host_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo staging"), bytes);
    } else {
      kept_ = std::make_unique<KeptMemory>(end);
      work_ = decltype(work_)(kept_->data(), bytes);
    }
  }
  [[nodiscard]] std::byte* work(std::size_t n) const { return work_.data() + offsets_[n]; }
  /// The memory that MPI reads or writes.
  [[nodiscard]] std::byte* message(std::size_t n) const { return staged_ ? host_.data() + offsets_[n] : work(n); }
  void to_host(Execution const& execution) const {
    if (staged_) Kokkos::deep_copy(execution, host_, work_);
  }
  void from_host(Execution const& execution) const {
    if (staged_) Kokkos::deep_copy(execution, work_, host_);
  }

 private:
  bool staged_;
  std::vector<Index> offsets_;  ///< of each message, in bytes
  std::unique_ptr<KeptMemory> kept_;
  Kokkos::View<std::byte*, Memory> work_;
  Kokkos::View<std::byte*, Staging> host_;
};

struct Buffers {
  Buffers(std::vector<Message> const& sends, std::vector<Message> const& receives, bool staged)
      : sent(sends, staged), received(receives, staged) {}
  Buffer sent;
  Buffer received;
};

class MpiChannel final : public Channel {
 public:
  MpiChannel(Communicator const& communicator, std::vector<Message> const& sends, std::vector<Message> const& receives,
             bool staged)
      : communicator_(communicator),
        buffers_(std::make_shared<Buffers>(sends, receives, staged)),
        receives_(receives.size()) {
    // Receives come first, so that one range starts the receives and one wait covers everything.
    for (std::size_t n = 0; n < receives.size(); ++n) {
      requests_.push_back(
          communicator.receive_init(buffers_->received.message(n), receives[n].bytes, receives[n].rank, tag));
    }
    for (std::size_t n = 0; n < sends.size(); ++n) {
      requests_.push_back(communicator.send_init(buffers_->sent.message(n), sends[n].bytes, sends[n].rank, tag));
    }
  }
  ~MpiChannel() override { Communicator::abandon(requests_, buffers_); }
  MpiChannel(MpiChannel const&) = delete;
  MpiChannel& operator=(MpiChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override { return buffers_->sent.work(n); }
  std::byte* receive_memory(std::size_t n) override { return buffers_->received.work(n); }
  void expect() override {
    if constexpr (memory_on_host) start(0, receives_);
  }
  void send() override {
    buffers_->sent.to_host(execution_);
    execution_.fence("halo: packed");
    // A device may only now have finished reading the previous messages from the buffer that MPI writes.
    start(memory_on_host ? receives_ : 0, requests_.size());
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
  std::shared_ptr<Buffers> buffers_;  ///< shared with abandoned requests: MPI may still write there
  std::size_t receives_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::shared_ptr<Transport const> mpi_host_transport() {
#if defined(KOKKOS_ENABLE_CUDA)
  return std::make_shared<TransportBy<cuda::StagedChannel>>("mpi-host");
#else
  return std::make_shared<TransportBy<MpiChannel, bool>>("mpi-host", !memory_on_host);
#endif
}

std::shared_ptr<Transport const> mpi_device_transport() {
  return std::make_shared<TransportBy<MpiChannel, bool>>("mpi-device", false);
}

}  // namespace halocline
