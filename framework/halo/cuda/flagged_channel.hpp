#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/halo/cuda/kernel_channel.hpp"
#include "framework/halo/cuda/shared_blocks.hpp"

namespace halocline::cuda {

/// Kernels pack directly into memory that the receiver shares, in two alternating buffers, and set flags there. The
/// host is not involved.
class FlaggedChannel final : public KernelChannel {
 public:
  /// Throws InputOutputError on both ranks of a pair where memory cannot be shared. `blocks` must outlive the channel.
  FlaggedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                 std::vector<Message> const& receives, SharedBlocks& blocks);
  ~FlaggedChannel() override;
  FlaggedChannel(FlaggedChannel const&) = delete;
  FlaggedChannel& operator=(FlaggedChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override;
  std::byte* receive_memory(std::size_t n) override;
  PartFlags send_flags(std::size_t n) override;
  PartFlags receive_flags(std::size_t n) override;
  [[nodiscard]] bool is_over_nvlink() const override { return is_over_nvlink_; }

 private:
  /// Position of one message in the receiver's block: flags and memory for two alternating buffers.
  struct Mailbox {
    Index closed = 0;         // offsets in bytes
    Index flags[2] = {0, 0};  ///< 0: the flags are inside the message
    Index places[2] = {0, 0};
  };
  /// What a receiver sends to its sender when a channel opens.
  struct Offer {
    bool made = false;
    BlockOffer block;
    Mailbox mailbox;
  };
  /// The block in which a rank receives.
  struct Inbox;
  struct Outbox {
    std::byte* memory;  ///< the neighbour's block
    Mailbox mailbox;
  };

  [[nodiscard]] PartFlags flags(std::byte* memory, Mailbox const& mailbox) const;

  SharedBlocks& blocks_;
  std::unique_ptr<Inbox> inbox_;
  std::vector<Outbox> outboxes_;  ///< by sent message
  bool is_over_nvlink_ = false;
};

}  // namespace halocline::cuda
