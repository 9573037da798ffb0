#include "framework/halo/cuda/flagged_channel.hpp"

#include <algorithm>
#include <exception>

#include "framework/halo/transports/pairs.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline::cuda {
namespace {

constexpr Index alignment = 256;  // bytes
constexpr Index word = sizeof(std::uint32_t);

/// Whether memory is on another device, linked by NVLink: its links have atomic operations, those of PCIe have not. Not
/// where this process cannot see that device.
bool is_over_nvlink(BlockOffer const& offer) {
  if (offer.device[0] == '\0') return false;
  int own = 0;
  int other = 0;
  check(cudaGetDevice(&own), "cudaGetDevice");
  if (cudaDeviceGetByPCIBusId(&other, offer.device) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  if (other == own) return false;
  int has_atomics = 0;
  check(cudaDeviceGetP2PAttribute(&has_atomics, cudaDevP2PAttrNativeAtomicSupported, own, other),
        "cudaDeviceGetP2PAttribute");
  return has_atomics != 0;
}

std::uint32_t* words(std::byte* memory, Index offset) { return reinterpret_cast<std::uint32_t*>(memory + offset); }

}  // namespace

struct FlaggedChannel::Inbox {
  Inbox(std::vector<Message> const& receives, SharedBlocks& shared) : blocks(shared) {
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
    block = &blocks.take(end, cleared, receives.size());
  }
  ~Inbox() { blocks.give_back(*block); }
  Inbox(Inbox const&) = delete;
  Inbox& operator=(Inbox const&) = delete;

  SharedBlocks& blocks;
  std::vector<Mailbox> mailboxes;
  SharedBlock* block;
};

FlaggedChannel::FlaggedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                               std::vector<Message> const& receives, SharedBlocks& blocks)
    : KernelChannel(communicator), blocks_(blocks) {
  require_both_ways(sends, receives);
  std::exception_ptr failure;
  try {
    inbox_ = std::make_unique<Inbox>(receives, blocks);
  } catch (InputOutputError const&) {
    failure = std::current_exception();
  }
  std::vector<Offer> offers(receives.size());
  for (std::size_t n = 0; inbox_ != nullptr && n < receives.size(); ++n) {
    offers[n] = {true, inbox_->block->offer, inbox_->mailboxes[n]};
  }
  std::vector<Offer> const theirs = swapped_with(communicator, receives, offers);
  try {
    for (Offer const& offer : theirs) {
      if (!offer.made) throw InputOutputError("cannot share memory: a neighbour could not allocate any");
      outboxes_.push_back({blocks.opened(offer.block), offer.mailbox});
    }
  } catch (InputOutputError const&) {
    if (failure == nullptr) failure = std::current_exception();
  }
  agree_with(communicator, receives, failure, "cannot share memory");
  is_over_nvlink_ =
      std::all_of(theirs.begin(), theirs.end(), [](Offer const& offer) { return cuda::is_over_nvlink(offer.block); });
}

FlaggedChannel::~FlaggedChannel() {
  // After a failure, kernels may wait for messages that never arrive. The rank that has progressed least waits for
  // nothing: it gets here first and ends the waits of its neighbours, and so on.
  (void)cudaDeviceSynchronize();
  try {
    for (Outbox const& outbox : outboxes_) {
      blocks_.side().copy(outbox.memory + outbox.mailbox.closed, &closed, word);
    }
  } catch (...) {
    return;  // the device has failed, and so have all that wait for it
  }
}

std::byte* FlaggedChannel::send_memory(std::size_t n) {
  return outboxes_[n].memory + outboxes_[n].mailbox.places[buffer()];
}
std::byte* FlaggedChannel::receive_memory(std::size_t n) {
  return inbox_->block->memory + inbox_->mailboxes[n].places[buffer()];
}

PartFlags FlaggedChannel::send_flags(std::size_t n) { return flags(outboxes_[n].memory, outboxes_[n].mailbox); }
PartFlags FlaggedChannel::receive_flags(std::size_t n) {
  Mailbox const& mailbox = inbox_->mailboxes[n];
  PartFlags flags = this->flags(inbox_->block->memory, mailbox);
  flags.closed = words(inbox_->block->memory, mailbox.closed);
  return flags;
}
PartFlags FlaggedChannel::flags(std::byte* memory, Mailbox const& mailbox) const {
  Index const offset = mailbox.flags[buffer()];
  return {.parts = offset == 0 ? nullptr : words(memory, offset), .inside = offset == 0};
}

}  // namespace halocline::cuda
