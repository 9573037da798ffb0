#include "framework/halo/cuda/staged_channel.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include "framework/halo/transports/pairs.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline::cuda {
namespace {

constexpr Index alignment = 64;          // bytes
constexpr Index largest_part = 1048576;  // bytes

// Tags of channels. Each channel has its own, since parts are sent as they become ready, in no order between channels.
constexpr int first_tag = 1000;
constexpr int last_tag = 20000;
std::mutex tags_mutex;
std::set<int> tags_in_use;

/// The stream on which fields are computed.
cudaStream_t main_stream() { return Execution().cuda_stream(); }

}  // namespace

StagedChannel::Tag::Tag() {
  std::scoped_lock const lock(tags_mutex);
  number_ = first_tag;
  while (tags_in_use.contains(number_)) ++number_;
  if (number_ > last_tag) throw DefectError("more exchanges in progress than there are message tags");
  tags_in_use.insert(number_);
}
StagedChannel::Tag::~Tag() {
  std::scoped_lock const lock(tags_mutex);
  tags_in_use.erase(number_);
}

StagedChannel::Side::Side(std::vector<Message> const& messages) {
  Index end = 0;
  Index longest = 0;
  for (Message const& message : messages) {
    begins.push_back(end);
    end += round_up(message.bytes, alignment);
    longest = std::max(longest, message.bytes);
  }
  for (Index first = 0; first < longest; first += largest_part) {
    for (std::size_t n = 0; n < messages.size(); ++n) {
      if (first >= messages[n].bytes) continue;
      parts.push_back({n, begins[n] + first, std::min(largest_part, messages[n].bytes - first)});
    }
  }
  auto const bytes = static_cast<std::size_t>(end);
  device = decltype(device)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo buffer"), bytes);
  for (auto& buffer : host) {
    buffer = std::decay_t<decltype(buffer)>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "halo staging"), bytes);
  }
}

StagedChannel::StagedChannel(Communicator const& communicator, std::vector<Message> const& sends,
                             std::vector<Message> const& receives)
    : communicator_(communicator), memory_(std::make_shared<Sides>(sends, receives)) {
  require_both_ways(sends, receives);
  // The receiver chooses the tag: one that none of its other open channels uses.
  std::vector<int> const tags = swapped_with(communicator, receives, std::vector<int>(receives.size(), tag_.number()));
  Side const& sent = memory_->sent;
  Side const& received = memory_->received;
  for (std::size_t buffer : {0, 1}) {
    for (StagedPart const& part : sent.parts) {
      requests_.push_back(
          communicator.send_init(sent.staged(buffer, part), part.bytes, sends[part.message].rank, tags[part.message]));
    }
  }
  for (std::size_t buffer : {0, 1}) {
    for (StagedPart const& part : received.parts) {
      requests_.push_back(communicator.receive_init(received.staged(buffer, part), part.bytes,
                                                    receives[part.message].rank, tag_.number()));
    }
  }
  staged_ = std::vector<OwnEvent>(sent.parts.size());
  completed_.resize(received.parts.size());
}

StagedChannel::~StagedChannel() {
  for (OwnStream const* const stream : {&out_, &in_}) (void)cudaStreamSynchronize(stream->get());
  Communicator::abandon(requests_, memory_);
}

void StagedChannel::expect() {
  buffer_ = 1 - buffer_;
  sent_ = received_ = 0;
  // Completed long ago, except in the first exchanges.
  check(cudaEventSynchronize(on_device_[buffer_].get()), "cudaEventSynchronize");
  check(cudaEventRecord(unpacked_.get(), main_stream()), "cudaEventRecord");
  check(cudaStreamWaitEvent(in_.get(), unpacked_.get()), "cudaStreamWaitEvent");
  auto const parts = static_cast<int>(memory_->received.parts.size());
  if (parts > 0) check_mpi(MPI_Startall(parts, receives()), "MPI_Startall");  // Open MPI rejects a null pointer
}

void StagedChannel::send() {
  check(cudaEventRecord(packed_.get(), main_stream()), "cudaEventRecord");
  check(cudaStreamWaitEvent(out_.get(), packed_.get()), "cudaStreamWaitEvent");
  Side const& sent = memory_->sent;
  for (std::size_t n = 0; n < sent.parts.size(); ++n) {
    StagedPart const& part = sent.parts[n];
    check(cudaMemcpyAsync(sent.staged(buffer_, part), sent.device.data() + part.begin,
                          static_cast<std::size_t>(part.bytes), cudaMemcpyDeviceToHost, out_.get()),
          "cudaMemcpyAsync");
    check(cudaEventRecord(staged_[n].get(), out_.get()), "cudaEventRecord");
  }
}

bool StagedChannel::advance() {
  for (; sent_ < staged_.size(); ++sent_) {
    cudaError_t const state = cudaEventQuery(staged_[sent_].get());
    if (state == cudaErrorNotReady) break;
    check(state, "cudaEventQuery");
    check_mpi(MPI_Start(sends() + sent_), "MPI_Start");
  }
  Side const& received = memory_->received;
  int count = 0;
  check_mpi(
      MPI_Testsome(static_cast<int>(received.parts.size()), receives(), &count, completed_.data(), MPI_STATUSES_IGNORE),
      "MPI_Testsome");
  for (int n = 0; n < count; ++n) {  // none if MPI returns MPI_UNDEFINED
    StagedPart const& part = received.parts[static_cast<std::size_t>(completed_[static_cast<std::size_t>(n)])];
    check(cudaMemcpyAsync(received.device.data() + part.begin, received.staged(buffer_, part),
                          static_cast<std::size_t>(part.bytes), cudaMemcpyHostToDevice, in_.get()),
          "cudaMemcpyAsync");
    ++received_;
  }
  return sent_ == staged_.size() && received_ == received.parts.size();
}

bool StagedChannel::all_sent() {
  int done = 0;
  check_mpi(MPI_Testall(static_cast<int>(staged_.size()), sends(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

bool StagedChannel::progress() {
  bool const done = advance();
  if (!done) communicator_.poll();
  return done;
}

void StagedChannel::receive() {
  communicator_.wait_until([this] { return advance() && all_sent(); });
  check(cudaEventRecord(on_device_[buffer_].get(), in_.get()), "cudaEventRecord");
  check(cudaStreamWaitEvent(main_stream(), on_device_[buffer_].get()), "cudaStreamWaitEvent");
}

}  // namespace halocline::cuda
