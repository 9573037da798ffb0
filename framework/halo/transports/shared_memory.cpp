#include <sys/mman.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <utility>

#include "framework/halo/transport.hpp"
#include "framework/halo/transports/pairs.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {
namespace {

constexpr Index alignment = 64;  // bytes: a cache line, so that no flag shares one with what it stands for

/// How often a message has been there in whole; written by its sender, read by its receiver.
using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "flags between processes have no lock");

/// Where one message lies in the receiver's segment: a flag, and two places for what is sent in uses of a channel that
/// follow each other.
struct Mailbox {
  Index flag = 0;  // offsets in bytes
  Index places[2] = {0, 0};
};

/// What a receiver tells its sender about its segment.
struct Offer {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;  ///< of an open file of that process; -1: there is none
  std::int64_t bytes = 0;        ///< of the segment
  std::uint64_t mark = 0;        ///< stands at its beginning
  Mailbox mailbox;
};

[[noreturn]] void refuse(std::string const& what) {
  throw InputOutputError("cannot share memory: " + what + ": " + std::strerror(errno));
}

/// Memory that several processes of a host have mapped.
class Segment {
 public:
  Segment() = default;
  /// Maps all of an open file.
  Segment(int descriptor, Index bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* const address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (address == MAP_FAILED) refuse("mmap of " + std::to_string(bytes) + " bytes");
    address_ = static_cast<std::byte*>(address);
  }
  ~Segment() {
    if (address_ != nullptr) munmap(address_, bytes_);
  }
  Segment(Segment&& other) noexcept : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
  Segment& operator=(Segment&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] std::byte* at(Index offset) const { return address_ + offset; }
  [[nodiscard]] Flag& flag(Index offset) const { return *std::launder(reinterpret_cast<Flag*>(at(offset))); }

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

std::uint64_t random_mark() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

/// The segment that a rank receives in. It has no name in any file system: nothing of it is left however a run ends.
struct Inbox {
  explicit Inbox(std::vector<Message> const& receives) : file(memfd_create("halocline halo", MFD_CLOEXEC)) {
    Index end = alignment;  // the mark
    for (Message const& message : receives) {
      Index const room = round_up(message.bytes, alignment);
      mailboxes.push_back({end, {end + alignment, end + alignment + room}});
      end += alignment + 2 * room;
    }
    bytes = end;
    if (file.number() < 0) refuse("memfd_create");
    // Memory that is missing is missed here, not by a signal in a kernel.
    do {
      errno = posix_fallocate(file.number(), 0, end);
    } while (errno == EINTR);
    if (errno != 0) refuse(std::to_string(end) + " bytes");
    segment = Segment(file.number(), end);
    std::memcpy(segment.at(0), &mark, sizeof mark);
    for (Mailbox const& mailbox : mailboxes) new (segment.at(mailbox.flag)) Flag(0);
  }

  Descriptor file;
  Index bytes = 0;
  std::uint64_t mark = random_mark();
  std::vector<Mailbox> mailboxes;
  Segment segment;
};

/// The segment of an offer from a process of this host. Another process of the same number, in another container, has
/// no such file, or one without the mark.
Segment open_offered(Offer const& offer) {
  std::string const path = "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.descriptor);
  Descriptor const file(path, O_RDWR);
  if (file.number() < 0) refuse(path);
  if (lseek(file.number(), 0, SEEK_END) != offer.bytes) throw InputOutputError("cannot share memory: not at " + path);
  Segment segment(file.number(), offer.bytes);
  std::uint64_t mark = 0;
  std::memcpy(&mark, segment.at(0), sizeof mark);
  if (mark != offer.mark) throw InputOutputError("cannot share memory: not at " + path);
  return segment;
}

class SharedMemoryChannel final : public Channel {
 public:
  SharedMemoryChannel(Communicator const& communicator, std::vector<Message> const& sends,
                      std::vector<Message> const& receives)
      : communicator_(communicator) {
    require_both_ways(sends, receives);
    std::exception_ptr failure;
    std::unique_ptr<Inbox> inbox;
    try {
      inbox = std::make_unique<Inbox>(receives);
    } catch (InputOutputError const&) {
      failure = std::current_exception();
    }
    std::vector<Offer> offers(receives.size());
    for (std::size_t n = 0; inbox != nullptr && n < receives.size(); ++n) {
      offers[n] = {getpid(), inbox->file.number(), inbox->bytes, inbox->mark, inbox->mailboxes[n]};
    }
    std::vector<Offer> const theirs = swapped_with(communicator, receives, offers);
    try {
      for (Offer const& offer : theirs) add_outbox(offer);
    } catch (InputOutputError const&) {
      if (failure == nullptr) failure = std::current_exception();
    }
    // Files stay open until the neighbours have them; whoever fails, its neighbours hear of it here.
    agree_with(communicator, receives, failure, "cannot share memory");
    inbox_ = std::move(inbox->segment);
    mailboxes_ = std::move(inbox->mailboxes);
  }

  std::byte* send_memory(std::size_t n) override {
    return outboxes_[n].segment.at(outboxes_[n].mailbox.places[use_ % 2]);
  }
  std::byte* receive_memory(std::size_t n) override { return inbox_.at(mailboxes_[n].places[use_ % 2]); }

  // What is written now was read two uses ago: the neighbour has raised its flag of the last use after that.
  void expect() override { ++use_; }

  void send() override {
    execution_.fence("halo: packed");
    for (Outbox const& outbox : outboxes_) {
      outbox.segment.flag(outbox.mailbox.flag).store(use_, std::memory_order_release);
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
  /// The end of a connection that lies in the neighbour's segment.
  struct Outbox {
    Segment segment;
    Mailbox mailbox;
  };

  void add_outbox(Offer const& offer) {
    if (offer.descriptor < 0) throw InputOutputError("cannot share memory: a neighbour has none");
    outboxes_.push_back({open_offered(offer), offer.mailbox});
  }

  [[nodiscard]] bool all_there() const {
    for (Mailbox const& mailbox : mailboxes_) {
      if (inbox_.flag(mailbox.flag).load(std::memory_order_acquire) < use_) return false;
    }
    return true;
  }

  Communicator const& communicator_;
  Execution execution_;
  Segment inbox_;
  std::vector<Mailbox> mailboxes_;  ///< by what is received
  std::vector<Outbox> outboxes_;    ///< by what is sent
  std::uint64_t use_ = 0;
};

class SharedMemoryTransport final : public Transport {
 public:
  [[nodiscard]] std::string name() const override { return "shared-memory"; }
  [[nodiscard]] std::unique_ptr<Channel> open(Communicator const& communicator, std::vector<Message> const& sends,
                                              std::vector<Message> const& receives) const override {
    return std::make_unique<SharedMemoryChannel>(communicator, sends, receives);
  }
};

}  // namespace

std::shared_ptr<Transport const> shared_memory_transport() { return std::make_shared<SharedMemoryTransport>(); }

}  // namespace halocline
