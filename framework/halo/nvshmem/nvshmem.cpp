#include <nvshmem.h>

#include <array>
#include <exception>
#include <memory>
#include <vector>

#include "framework/halo/cuda/kernel_channel.hpp"
#include "framework/halo/cuda/shared_blocks.hpp"
#include "framework/halo/nvshmem/put_launcher.hpp"
#include "framework/halo/nvshmem/reference.hpp"
#include "framework/halo/nvshmem/world.hpp"
#include "framework/halo/transport.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/halo/transports/pairs.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

// The transport `nvshmem`: kernels put the parts of messages into their receivers' memory, each part with a signal. If
// the receiver's memory is mapped (nvshmem_ptr), small messages are stored directly, with a flag beside every four
// bytes, because a signal would take longer than the rest of the message.

namespace halocline::nvshmem {
namespace {

constexpr Index alignment = 256;  // bytes

/// Memory on the symmetric heap; other ranks address it by its offset.
class SymmetricMemory final : public cuda::SharedMemory {
 public:
  std::byte* allocate(Index bytes, cuda::BlockOffer& offer) override {
    std::byte* const memory = World::instance().allocate(bytes);
    offer.segment.bytes = World::instance().offset_of(memory);
    return memory;
  }
  std::byte* open(cuda::BlockOffer const& offer) override { return World::instance().at(offer.segment.bytes); }
};

cuda::SharedBlocks& blocks() {
  static auto* const blocks = new cuda::SharedBlocks(std::make_unique<SymmetricMemory>());
  return *blocks;
}

/// Position of one message in the receiver's block, in two alternating buffers.
struct Mailbox {
  Index closed = 0;  // offsets in bytes
  Index signals[2] = {0, 0};
  Index places[2] = {0, 0};
};

/// What a rank sends to its neighbour when a channel opens.
struct Offer {
  bool made = false;
  bool reaches = false;  ///< this rank maps the neighbour's memory
  cuda::BlockOffer block;
  Mailbox mailbox;
};

/// The block in which a rank receives, and packs the messages that it sends.
struct Box {
  Box(std::vector<Message> const& sends, std::vector<Message> const& receives) {
    Index end = round_up(static_cast<Index>(receives.size() * sizeof(std::uint32_t)), alignment);
    auto const set_aside = [&](Index bytes) {
      Index const begin = end;
      end += round_up(bytes, alignment);
      return begin;
    };
    for (Message const& message : receives) {
      Mailbox& mailbox = mailboxes.emplace_back();
      mailbox.closed = static_cast<Index>((mailboxes.size() - 1) * sizeof(std::uint32_t));
      Index const parts = message.bytes / part_bytes(message.bytes) + message.boxes;
      for (Index& signals : mailbox.signals) signals = set_aside(parts * Index{sizeof(Signal)});
      if (!flags_inside(message.bytes)) continue;
      for (Index& place : mailbox.places) place = set_aside(2 * message.bytes);
    }
    Index const cleared = end;
    for (std::size_t n = 0; n < receives.size(); ++n) {
      if (flags_inside(receives[n].bytes)) continue;
      for (Index& place : mailboxes[n].places) place = set_aside(receives[n].bytes);
    }
    for (Message const& message : sends) packed.push_back({set_aside(message.bytes), set_aside(message.bytes)});
    for (Index& offset : puts) offset = set_aside(static_cast<Index>(sends.size() * sizeof(Put)));
    block = &blocks().take(end, cleared, receives.size());
  }
  ~Box() { blocks().give_back(*block); }
  Box(Box const&) = delete;
  Box& operator=(Box const&) = delete;

  std::vector<Mailbox> mailboxes;            ///< by received message
  std::vector<std::array<Index, 2>> packed;  ///< by sent message: offsets in bytes
  Index puts[2] = {0, 0};                    ///< a Put for each sent message
  cuda::SharedBlock* block;
};

class NvshmemChannel final : public cuda::KernelChannel {
 public:
  NvshmemChannel(Communicator const& communicator, std::vector<Message> const& sends,
                 std::vector<Message> const& receives)
      : KernelChannel(communicator), sends_(sends), receives_(receives) {
    require_both_ways(sends, receives);
    std::vector<int> const peers = World::instance().peers(communicator);
    for (Message const& message : sends) neighbours_.push_back(peers[static_cast<std::size_t>(message.rank)]);
    std::exception_ptr failure;
    try {
      box_ = std::make_unique<Box>(sends, receives);
    } catch (InputOutputError const&) {
      failure = std::current_exception();
    }
    std::vector<Offer> offers(receives.size());
    for (std::size_t n = 0; box_ != nullptr && n < receives.size(); ++n) {
      bool const reaches = nvshmem_ptr(box_->block->memory, neighbours_[n]) != nullptr;
      offers[n] = {true, reaches, box_->block->offer, box_->mailboxes[n]};
    }
    std::vector<Offer> const theirs = swapped_with(communicator, receives, offers);
    agree_with(communicator, receives, failure, "no memory of NVSHMEM");
    for (std::size_t n = 0; n < offers.size(); ++n) by_stores_.push_back(offers[n].reaches && theirs[n].reaches);
    make_puts(theirs);
  }

  ~NvshmemChannel() override {
    // As in FlaggedChannel.
    (void)cudaDeviceSynchronize();
    for (std::size_t n = 0; n < closed_.size(); ++n) nvshmem_uint32_p(closed_[n], cuda::closed, neighbours_[n]);
    nvshmem_quiet();
  }
  NvshmemChannel(NvshmemChannel const&) = delete;
  NvshmemChannel& operator=(NvshmemChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override {
    return is_stored(n, sends_) ? stored_[n][buffer()] : memory(box_->packed[n][buffer()]);
  }
  std::byte* receive_memory(std::size_t n) override { return memory(box_->mailboxes[n].places[buffer()]); }
  PartFlags send_flags(std::size_t n) override {
    if (is_stored(n, sends_)) return {.inside = true};
    auto* const puts = reinterpret_cast<Put*>(memory(box_->puts[buffer()]));
    return {.parts = reinterpret_cast<std::uint32_t*>(puts + n), .of_launcher = true};
  }
  PartFlags receive_flags(std::size_t n) override {
    Mailbox const& mailbox = box_->mailboxes[n];
    auto const* const closed = reinterpret_cast<std::uint32_t const*>(memory(mailbox.closed));
    if (is_stored(n, receives_)) return {.inside = true, .closed = closed};
    return {.parts = reinterpret_cast<std::uint32_t*>(memory(mailbox.signals[buffer()])),
            .of_launcher = true,
            .closed = closed};
  }
  cuda::PartLauncher const* launcher() const override { return &launcher_; }

 private:
  [[nodiscard]] std::byte* memory(Index offset) const { return box_->block->memory + offset; }
  /// Whether message n of `messages` (sent or received) is stored directly instead of put.
  [[nodiscard]] bool is_stored(std::size_t n, std::vector<Message> const& messages) const {
    return by_stores_[n] && flags_inside(messages[n].bytes);
  }

  void make_puts(std::vector<Offer> const& theirs) {
    stored_.resize(theirs.size());
    for (std::size_t use : {0, 1}) {
      std::vector<Put> puts;
      for (std::size_t n = 0; n < theirs.size(); ++n) {
        std::byte* const block = blocks().opened(theirs[n].block);
        Mailbox const& mailbox = theirs[n].mailbox;
        puts.push_back(
            {block + mailbox.places[use], reinterpret_cast<Signal*>(block + mailbox.signals[use]), neighbours_[n]});
        stored_[n][use] = static_cast<std::byte*>(nvshmem_ptr(puts.back().memory, neighbours_[n]));
        if (use == 0) closed_.push_back(reinterpret_cast<std::uint32_t*>(block + mailbox.closed));
      }
      auto const bytes = static_cast<Index>(puts.size() * sizeof(Put));
      if (bytes > 0) blocks().side().copy(memory(box_->puts[use]), puts.data(), bytes);
    }
  }

  std::vector<Message> sends_;
  std::vector<Message> receives_;
  std::vector<bool> by_stores_;                    ///< whether a neighbour's memory is mapped
  std::vector<std::array<std::byte*, 2>> stored_;  ///< addresses of directly stored messages
  std::vector<int> neighbours_;                    ///< NVSHMEM ranks of the neighbours
  std::unique_ptr<Box> box_;
  std::vector<std::uint32_t*> closed_;  ///< where neighbours are notified at the end
  PutLauncher launcher_;
};

TransportModule const module{
    .probe = World::make,
    .make = [] { return std::shared_ptr<Transport const>(std::make_shared<TransportBy<NvshmemChannel>>("nvshmem")); },
    .references = references};

}  // namespace
}  // namespace halocline::nvshmem

extern "C" halocline::TransportModule const* halocline_transport_module() { return &halocline::nvshmem::module; }
