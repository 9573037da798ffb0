#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/runtime/cuda_stream.hpp"

namespace halocline::cuda {

/// A part of a message that is copied and sent separately.
struct StagedPart {
  std::size_t message = 0;
  Index begin = 0;  ///< bytes from the beginning of all messages
  Index bytes = 0;
};

/// Messages between devices through pinned host memory and MPI. Copies run on separate streams, concurrently with
/// sweeps. Large messages are pipelined in parts: one is copied while the previous one is sent. Two alternating pinned
/// buffers prevent a message from waiting for a copy of the previous one.
class StagedChannel final : public Channel {
 public:
  StagedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                std::vector<Message> const& receives);
  ~StagedChannel() override;
  StagedChannel(StagedChannel const&) = delete;
  StagedChannel& operator=(StagedChannel const&) = delete;

  std::byte* send_memory(std::size_t n) override { return memory_->sent.work(n); }
  std::byte* receive_memory(std::size_t n) override { return memory_->received.work(n); }
  void expect() override;
  void send() override;
  bool progress() override;
  void receive() override;

 private:
  /// Messages of one direction: on the device, and in two buffers of the host.
  struct Side {
    explicit Side(std::vector<Message> const& messages);
    [[nodiscard]] std::byte* work(std::size_t n) const { return device.data() + begins[n]; }
    [[nodiscard]] std::byte* staged(std::size_t buffer, StagedPart const& part) const {
      return host[buffer].data() + part.begin;
    }
    std::vector<Index> begins;      ///< of each message, in bytes
    std::vector<StagedPart> parts;  ///< the first part of each message, then the second of each, and so on
    Kokkos::View<std::byte*, Kokkos::CudaSpace> device;
    Kokkos::View<std::byte*, Kokkos::CudaHostPinnedSpace> host[2];
  };
  struct Sides {
    Sides(std::vector<Message> const& sends, std::vector<Message> const& receives) : sent(sends), received(receives) {}
    Side sent;
    Side received;
  };
  /// A number that distinguishes the messages of one channel from those of others between the same ranks.
  class Tag {
   public:
    Tag();
    ~Tag();
    Tag(Tag const&) = delete;
    Tag& operator=(Tag const&) = delete;
    [[nodiscard]] int number() const { return number_; }

   private:
    int number_ = 0;
  };

  /// Sends the parts that are staged, and copies those received to the device. Returns whether all are done.
  [[nodiscard]] bool advance();
  [[nodiscard]] bool all_sent();
  [[nodiscard]] MPI_Request* sends() { return requests_.data() + buffer_ * memory_->sent.parts.size(); }
  [[nodiscard]] MPI_Request* receives() {
    return requests_.data() + 2 * memory_->sent.parts.size() + buffer_ * memory_->received.parts.size();
  }

  Communicator const& communicator_;
  Tag tag_;
  std::shared_ptr<Sides> memory_;  ///< shared with abandoned requests: MPI may still write there
  /// For the parts sent from the first and from the second buffer, then for those received in the first and the second.
  std::vector<MPI_Request> requests_;
  std::vector<OwnEvent> staged_;  ///< for each sent part: it is in host memory
  std::vector<int> completed_;    ///< indices of completed parts, from MPI
  OwnStream out_;
  OwnStream in_;
  OwnEvent packed_;
  OwnEvent unpacked_;      ///< the last exchange has been unpacked from device memory
  OwnEvent on_device_[2];  ///< the last messages in this buffer have been copied to the device
  std::size_t buffer_ = 0;
  std::size_t sent_ = 0;      ///< parts of this exchange
  std::size_t received_ = 0;  ///< parts of this exchange
};

}  // namespace halocline::cuda
