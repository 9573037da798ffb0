#include <Kokkos_Core.hpp>

#include "framework/halo/transport.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "framework/halo/transports/pairs.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/cuda_stream.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {
namespace {

using cuda::check;

constexpr Index alignment = 256;  // bytes
constexpr Index word = sizeof(std::uint32_t);

/// What a sender writes when its end of a connection is closed: nothing is on its way, and nothing will come any more.
constexpr std::uint32_t closed = 1;

[[noreturn]] void refuse(std::string const& what, cudaError_t error) {
  (void)cudaGetLastError();  // or the next kernel would be taken for the culprit
  throw InputOutputError("cannot share device memory: " + what + ": " + cudaGetErrorString(error));
}

/// Small copies between host and device that no kernel holds up.
class SideStream {
 public:
  void copy(void* to, void const* from, Index bytes) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_.get()),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }
  void clear(void* memory, Index bytes) const {
    check(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream_.get()), "cudaMemsetAsync");
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

 private:
  cuda::OwnStream stream_;
};

/// Device memory that other processes may open. It stays as long as the process, since they have it open as long, and
/// serves one channel after another.
struct SharedBlock {
  std::byte* memory = nullptr;
  Index bytes = 0;
  std::uint64_t mark = 0;  ///< told from all others by this
  cudaIpcMemHandle_t handle{};
  std::size_t senders = 0;  ///< that have words at its beginning: what they have made of their ends
  bool in_use = false;
};

class SharedBlocks {
 public:
  static SharedBlocks& instance() {
    static SharedBlocks blocks;
    return blocks;
  }

  /// A block of at least so many bytes, the first `cleared` of which are zero. Throws InputOutputError.
  SharedBlock& take(Index bytes, Index cleared, std::size_t senders) {
    std::scoped_lock const lock(mutex_);
    SharedBlock* block = nullptr;
    for (SharedBlock* const known : blocks_) {
      bool const fits = bytes <= known->bytes && known->bytes <= std::max(smallest, 2 * bytes);
      if (fits && !known->in_use && all_closed(*known)) {
        block = known;
        break;
      }
    }
    if (block == nullptr) block = &add(bytes);
    block->in_use = true;
    block->senders = senders;
    side_.clear(block->memory, cleared);
    return *block;
  }
  void give_back(SharedBlock& block) {
    std::scoped_lock const lock(mutex_);
    block.in_use = false;
  }

  /// The same memory in this process, of what another offers. Throws InputOutputError.
  std::byte* opened(std::uint64_t mark, cudaIpcMemHandle_t const& handle) {
    std::scoped_lock const lock(mutex_);
    std::byte*& memory = opened_[mark];
    if (memory == nullptr) {
      void* address = nullptr;
      cudaError_t const error = cudaIpcOpenMemHandle(&address, handle, cudaIpcMemLazyEnablePeerAccess);
      if (error != cudaSuccess) refuse("cudaIpcOpenMemHandle", error);
      memory = static_cast<std::byte*>(address);
    }
    return memory;
  }

  [[nodiscard]] SideStream const& side() const { return side_; }

 private:
  /// Smaller allocations share pages with others.
  static constexpr Index smallest = Index{2} << 20;

  SharedBlock& add(Index bytes) {
    SharedBlock block;
    block.bytes = round_up(bytes, smallest);
    void* memory = nullptr;
    cudaError_t error = cudaMalloc(&memory, static_cast<std::size_t>(block.bytes));
    if (error != cudaSuccess) refuse("cudaMalloc of " + std::to_string(block.bytes) + " bytes", error);
    error = cudaIpcGetMemHandle(&block.handle, memory);
    if (error != cudaSuccess) {
      (void)cudaFree(memory);
      refuse("cudaIpcGetMemHandle", error);
    }
    block.memory = static_cast<std::byte*>(memory);
    std::random_device device;
    block.mark = (std::uint64_t{device()} << 32U) | device();
    blocks_.push_back(new SharedBlock(block));
    return *blocks_.back();
  }

  /// Whether nobody will write to a block that was given back.
  [[nodiscard]] bool all_closed(SharedBlock const& block) const {
    std::vector<std::uint32_t> words(block.senders, closed);
    if (!words.empty()) side_.copy(words.data(), block.memory, static_cast<Index>(words.size()) * word);
    return std::all_of(words.begin(), words.end(), [](std::uint32_t end) { return end == closed; });
  }

  std::mutex mutex_;
  std::vector<SharedBlock*> blocks_;  // kept for ever: the end of the process frees them, after the device's own end
  std::map<std::uint64_t, std::byte*> opened_;
  SideStream side_;
};

/// Where one message lies in the receiver's block: flags and room for what is sent in uses that follow each other.
struct Mailbox {
  Index closed = 0;         // offsets in bytes
  Index flags[2] = {0, 0};  ///< 0: they are inside of the message
  Index places[2] = {0, 0};
};

/// What a receiver tells its sender.
struct Offer {
  bool made = false;
  std::uint64_t mark = 0;
  cudaIpcMemHandle_t handle{};
  Mailbox mailbox;
};

/// The block that a rank receives in.
struct Inbox {
  explicit Inbox(std::vector<Message> const& receives) {
    Index end = round_up(static_cast<Index>(receives.size()) * word, alignment);
    auto const set_aside = [&](Index bytes) {
      Index const begin = end;
      end += round_up(bytes, alignment);
      return begin;
    };
    for (std::size_t n = 0; n < receives.size(); ++n) {
      Message const& message = receives[n];
      Mailbox& mailbox = mailboxes.emplace_back();
      mailbox.closed = static_cast<Index>(n) * word;
      if (flags_inside(message.bytes)) {
        for (Index& place : mailbox.places) place = set_aside(2 * message.bytes);
      } else {
        Index const parts = message.bytes / part_bytes(message.bytes) + message.boxes;
        for (Index& flags : mailbox.flags) flags = set_aside(parts * word);
      }
    }
    Index const cleared = end;
    for (std::size_t n = 0; n < receives.size(); ++n) {
      if (flags_inside(receives[n].bytes)) continue;
      for (Index& place : mailboxes[n].places) place = set_aside(receives[n].bytes);
    }
    block = &SharedBlocks::instance().take(end, cleared, receives.size());
  }
  ~Inbox() { SharedBlocks::instance().give_back(*block); }
  Inbox(Inbox const&) = delete;
  Inbox& operator=(Inbox const&) = delete;

  std::vector<Mailbox> mailboxes;
  SharedBlock* block;
};

class CudaIpcChannel final : public Channel {
 public:
  CudaIpcChannel(Communicator const& communicator, std::vector<Message> const& sends,
                 std::vector<Message> const& receives)
      : communicator_(communicator) {
    require_both_ways(sends, receives);
    std::exception_ptr failure;
    try {
      inbox_ = std::make_unique<Inbox>(receives);
    } catch (InputOutputError const&) {
      failure = std::current_exception();
    }
    std::vector<Offer> offers(receives.size());
    for (std::size_t n = 0; inbox_ != nullptr && n < receives.size(); ++n) {
      offers[n] = {true, inbox_->block->mark, inbox_->block->handle, inbox_->mailboxes[n]};
    }
    std::vector<Offer> const theirs = swapped_with(communicator, receives, offers);
    try {
      for (Offer const& offer : theirs) {
        if (!offer.made) throw InputOutputError("cannot share device memory: a neighbour has none");
        outboxes_.push_back({SharedBlocks::instance().opened(offer.mark, offer.handle), offer.mailbox});
      }
    } catch (InputOutputError const&) {
      if (failure == nullptr) failure = std::current_exception();
    }
    agree_with(communicator, receives, failure, "cannot share device memory");
  }

  ~CudaIpcChannel() override {
    // Where ranks have failed, kernels wait for what never comes; not on the rank that got least far, which comes here
    // and ends the waits of its neighbours, and so on.
    (void)cudaDeviceSynchronize();
    try {
      for (Outbox const& outbox : outboxes_) {
        SharedBlocks::instance().side().copy(outbox.memory + outbox.mailbox.closed, &closed, word);
      }
    } catch (...) {
      return;  // the device has failed, and with it whoever waits for it
    }
  }
  CudaIpcChannel(CudaIpcChannel const&) = delete;
  CudaIpcChannel& operator=(CudaIpcChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override { return outboxes_[n].memory + outboxes_[n].mailbox.places[use_ % 2]; }
  std::byte* receive_memory(std::size_t n) override {
    return inbox_->block->memory + inbox_->mailboxes[n].places[use_ % 2];
  }
  PartFlags send_flags(std::size_t n) override { return flags(outboxes_[n].memory, outboxes_[n].mailbox); }
  PartFlags receive_flags(std::size_t n) override {
    Mailbox const& mailbox = inbox_->mailboxes[n];
    PartFlags flags = this->flags(inbox_->block->memory, mailbox);
    flags.closed = words(inbox_->block->memory, mailbox.closed);
    return flags;
  }

  // What is written now was read two uses ago: kernels of the neighbour have sent their last message after that.
  void expect() override { ++use_; }
  void send() override {}
  bool progress() override { return true; }
  void receive() override {
    // The host waits for nothing here: it hears of failures in time if it asks now and then.
    if (use_ % 32 == 0) communicator_.poll();
  }
  [[nodiscard]] std::optional<int> turn() const override { return static_cast<int>(use_ % 2); }

 private:
  struct Outbox {
    std::byte* memory;  ///< the neighbour's block
    Mailbox mailbox;
  };

  [[nodiscard]] static std::uint32_t* words(std::byte* memory, Index offset) {
    return reinterpret_cast<std::uint32_t*>(memory + offset);
  }

  [[nodiscard]] PartFlags flags(std::byte* memory, Mailbox const& mailbox) const {
    Index const offset = mailbox.flags[use_ % 2];
    return {.parts = offset == 0 ? nullptr : words(memory, offset), .inside = offset == 0};
  }

  Communicator const& communicator_;
  std::unique_ptr<Inbox> inbox_;
  std::vector<Outbox> outboxes_;  ///< by what is sent
  std::uint64_t use_ = 0;
};

class CudaIpcTransport final : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "cuda-ipc"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    return std::make_unique<CudaIpcChannel>(communicator, sends, receives);
  }
};

}  // namespace

std::shared_ptr<Transport const> cuda_ipc_transport() { return std::make_shared<CudaIpcTransport>(); }

}  // namespace halocline

#else

#include "framework/runtime/error.hpp"

namespace halocline {

std::shared_ptr<Transport const> cuda_ipc_transport() { throw DefectError("this build has no CUDA"); }

}  // namespace halocline

#endif
