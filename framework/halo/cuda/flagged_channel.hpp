#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/halo/cuda/kernel_channel.hpp"
#include "framework/halo/cuda/shared_blocks.hpp"

namespace halocline::cuda {

/// Kernels pack right into memory that the receiver shares, in two alternating buffers, and set flags there; the host
/// takes no part in it.
class FlaggedChannel final : public KernelChannel {
 public:
  /// Throws InputOutputError, on both ends of a pair, where memory cannot be shared. `blocks` outlives the channel.
  FlaggedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                 std::vector<Message> const& receives, SharedBlocks& blocks);
  ~FlaggedChannel() override;
  FlaggedChannel(FlaggedChannel const&) = delete;
  FlaggedChannel& operator=(FlaggedChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override;
  std::byte* receive_memory(std::size_t n) override;
  PartFlags send_flags(std::size_t n) override;
  PartFlags receive_flags(std::size_t n) override;

 private:
  /// Where one message lies in the receiver's block: flags and room for what is sent in uses that follow each other.
  struct Mailbox {
    Index closed = 0;         // offsets in bytes
    Index flags[2] = {0, 0};  ///< 0: they are inside of the message
    Index places[2] = {0, 0};
  };
  /// What a receiver tells its sender.
  struct Offer {
    bool made = false;
    BlockOffer block;
    Mailbox mailbox;
  };
  /// The block that a rank receives in.
  struct Inbox;
  struct Outbox {
    std::byte* memory;  ///< the neighbour's block
    Mailbox mailbox;
  };

  [[nodiscard]] PartFlags flags(std::byte* memory, Mailbox const& mailbox) const;

  SharedBlocks& blocks_;
  std::unique_ptr<Inbox> inbox_;
  std::vector<Outbox> outboxes_;  ///< by what is sent
};

}  // namespace halocline::cuda
