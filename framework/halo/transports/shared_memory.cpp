#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "framework/halo/transport.hpp"
#include "framework/halo/transports/pairs.hpp"
#include "framework/halo/transports/segment.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {
namespace {

constexpr Index alignment = 64;  // bytes: a cache line, so that no flag shares one with its message

/// How many exchanges of a message are complete; written by its sender, read by its receiver.
using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "flags between processes have no lock");

Flag& flag_at(Segment const& segment, Index offset) {
  return *std::launder(reinterpret_cast<Flag*>(segment.at(offset)));
}

/// Position of one message in the receiver's segment: a flag, and two alternating buffers.
struct Mailbox {
  Index flag = 0;  // offsets in bytes
  Index places[2] = {0, 0};
};

/// What a receiver sends to its sender when a channel opens.
struct Offer {
  SegmentOffer segment;
  Mailbox mailbox;
};

/// Reserves memory for consecutive messages. Returns the bytes of all.
Index lay_out(std::vector<Message> const& receives, std::vector<Mailbox>& mailboxes) {
  Index end = OwnSegment::header;
  for (Message const& message : receives) {
    Index const room = round_up(message.bytes, alignment);
    mailboxes.push_back({end, {end + alignment, end + alignment + room}});
    end += alignment + 2 * room;
  }
  return end;
}

class SharedMemoryChannel final : public Channel {
 public:
  SharedMemoryChannel(Communicator const& communicator, std::vector<Message> const& sends,
                      std::vector<Message> const& receives)
      : communicator_(communicator) {
    require_both_ways(sends, receives);
    std::exception_ptr failure;
    Index const bytes = lay_out(receives, mailboxes_);
    std::unique_ptr<OwnSegment> inbox;
    try {
      inbox = std::make_unique<OwnSegment>(bytes);
      for (Mailbox const& mailbox : mailboxes_) new (inbox->memory().at(mailbox.flag)) Flag(0);
    } catch (InputOutputError const&) {
      failure = std::current_exception();
    }
    std::vector<Offer> offers(receives.size());
    for (std::size_t n = 0; inbox != nullptr && n < receives.size(); ++n) {
      offers[n] = {inbox->offer(), mailboxes_[n]};
    }
    std::vector<Offer> const theirs = swapped_with(communicator, receives, offers);
    try {
      for (Offer const& offer : theirs) add_outbox(offer);
    } catch (InputOutputError const&) {
      if (failure == nullptr) failure = std::current_exception();
    }
    // Files stay open until the neighbours have mapped them; a failure of any rank is reported to its neighbours here.
    agree_with(communicator, receives, failure, "cannot share memory");
    inbox_ = std::move(inbox->memory());
  }

  std::byte* send_memory(std::size_t n) override {
    return outboxes_[n].segment.at(outboxes_[n].mailbox.places[use_ % 2]);
  }
  std::byte* receive_memory(std::size_t n) override { return inbox_.at(mailboxes_[n].places[use_ % 2]); }

  // A buffer may be overwritten: the neighbour read it two exchanges ago, before it raised its flag of the last one.
  void expect() override { ++use_; }

  void send() override {
    execution_.fence("halo: packed");
    for (Outbox const& outbox : outboxes_) {
      flag_at(outbox.segment, outbox.mailbox.flag).store(use_, std::memory_order_release);
    }
  }

  bool progress() override {
    if (!all_there()) communicator_.poll();
    return all_there();
  }

  void receive() override {
    communicator_.wait_until([this] { return all_there(); });
  }

 private:
  /// The sending end of a connection, in the neighbour's segment.
  struct Outbox {
    Segment segment;
    Mailbox mailbox;
  };

  void add_outbox(Offer const& offer) {
    if (offer.segment.descriptor < 0) throw InputOutputError("cannot share memory: a neighbour could not allocate any");
    outboxes_.push_back({open_offered(offer.segment), offer.mailbox});
  }

  [[nodiscard]] bool all_there() const {
    for (Mailbox const& mailbox : mailboxes_) {
      if (flag_at(inbox_, mailbox.flag).load(std::memory_order_acquire) < use_) return false;
    }
    return true;
  }

  Communicator const& communicator_;
  Execution execution_;
  Segment inbox_;
  std::vector<Mailbox> mailboxes_;  ///< by received message
  std::vector<Outbox> outboxes_;    ///< by sent message
  std::uint64_t use_ = 0;
};

}  // namespace

std::shared_ptr<Transport const> shared_memory_transport() {
  return std::make_shared<TransportBy<SharedMemoryChannel>>("shared-memory");
}

}  // namespace halocline
