#include "framework/halo/box_messages.hpp"

#include <utility>

#include "framework/runtime/region.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/halo/cuda/message_stream.hpp"
#endif

namespace halocline {

namespace {

/// Bytes per field below which messages between devices count as small.
constexpr Index fewest_beside = 262144;

std::vector<MessageBuffer> message_buffers(std::vector<Message> const& messages, std::size_t first_buffer) {
  std::vector<MessageBuffer> buffers;
  for (Message const& message : messages)
    buffers.push_back({static_cast<int>(first_buffer + buffers.size()), message.bytes});
  return buffers;
}

}  // namespace

BoxMessages::BoxMessages(BoxMessagesPlan const& plan, std::unique_ptr<Channel> channel)
    : buffers_(plan.buffers),
      outgoing_(plan.outgoing, message_buffers(plan.sends, plan.first_send_buffer)),
      incoming_(plan.incoming, message_buffers(plan.receives, plan.first_receive_buffer)),
      channel_(std::move(channel)),
      sends_(plan.sends.size()),
      receives_(plan.receives.size()),
      first_send_buffer_(plan.first_send_buffer),
      first_receive_buffer_(plan.first_receive_buffer) {
  flagged_ = channel_ != nullptr;
  if (channel_ != nullptr) buffers_.set_launcher(channel_->launcher());
  for (std::size_t n = 0; flagged_ && n < receives_; ++n) flagged_ = channel_->receive_flags(n).any();
  for (std::size_t n = 0; flagged_ && n < sends_; ++n) flagged_ = channel_->send_flags(n).any();
  Index bytes = 0;
  for (Message const& message : plan.sends) bytes += message.bytes;
  small_ = !memory_on_host && bytes < fewest_beside * plan.fields;
  beside_ = flagged_ && !small_;
}

void BoxMessages::begin() {
  channel_->expect();
  for (std::size_t n = 0; n < sends_; ++n) {
    buffers_.set(first_send_buffer_ + n, channel_->send_memory(n), channel_->send_flags(n));
  }
  for (std::size_t n = 0; n < receives_; ++n) {
    buffers_.set(first_receive_buffer_ + n, channel_->receive_memory(n), channel_->receive_flags(n));
  }
}

void BoxMessages::start(Execution const& execution) {
  if (channel_ == nullptr) return outgoing_.run(execution, buffers_);
  begin();
  {
    ScopedRegion const region("halo: pack");
    run(execution, outgoing_);
  }
  ScopedRegion const region("halo: send");
  channel_->send();
  sent_ = trace::Clock::now();
  arrived_ = false;
}

bool BoxMessages::progress() {
  if (channel_ == nullptr || arrived_) return true;
  if (channel_->progress()) note_arrival();
  return arrived_;
}

void BoxMessages::finish(Execution const& execution) {
  if (channel_ == nullptr) return;
  {
    ScopedRegion const region("halo: wait");
    channel_->receive();
  }
  if (!arrived_) note_arrival();
  ScopedRegion const region("halo: unpack");
  run(execution, incoming_);
  if (beside_) rejoin(execution);
}

#if defined(KOKKOS_ENABLE_CUDA)
namespace {
/// For the trace: marks the work that is enqueued on a stream during its lifetime.
class DeviceRegion {
 public:
  DeviceRegion(char const* name, cudaStream_t stream) { trace::enter_on_device(name, stream); }
  ~DeviceRegion() { trace::leave_on_device(); }
  DeviceRegion(DeviceRegion const&) = delete;
  DeviceRegion& operator=(DeviceRegion const&) = delete;
};
}  // namespace

void BoxMessages::run(Execution const& execution, BoxCopies const& copies) {
  if (!beside_) return copies.run(execution, buffers_);
  cuda::MessageStream& beside = cuda::MessageStream::instance();
  bool const out = &copies == &outgoing_;
  if (out) beside.follow(execution.cuda_stream());
  DeviceRegion const region(out ? "halo: pack and send" : "halo: receive and unpack", beside.stream());
  copies.run(beside.stream(), buffers_);
}
void BoxMessages::rejoin(Execution const& execution) {
  cuda::MessageStream::instance().precede(execution.cuda_stream());
}
#else
void BoxMessages::run(Execution const& execution, BoxCopies const& copies) { copies.run(execution, buffers_); }
void BoxMessages::rejoin(Execution const&) {}
#endif

void BoxMessages::exchange(Execution const& execution) {
  if (!flagged_) {
    start(execution);
    return finish(execution);
  }
  begin();
  ScopedRegion const region("halo: exchange");
  BoxCopies::run(execution, buffers_, outgoing_, incoming_);
  channel_->send();
  channel_->receive();
}

std::optional<int> BoxMessages::buffer_index() const {
  if (!BoxCopies::travel(buffers_, outgoing_, incoming_)) return std::nullopt;
  if (channel_ == nullptr) return 0;
  return channel_->buffer_index();
}

void BoxMessages::replayed() {
  if (channel_ != nullptr) channel_->replayed();
}

void BoxMessages::note_arrival() {
  arrived_ = true;
  trace::add_message("messages of a halo", sent_, trace::Clock::now());
}

}  // namespace halocline
