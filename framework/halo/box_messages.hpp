#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "framework/halo/box_copy.hpp"
#include "framework/halo/transport.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/trace.hpp"

namespace halocline {

/// What boxes are packed into and unpacked from. The buffers of sent messages are numbered consecutively, and so are
/// those of received messages.
struct BoxMessagesPlan {
  std::vector<BoxCopy> outgoing;  ///< into messages, and from field to field
  std::vector<BoxCopy> incoming;
  std::vector<Message> sends;
  std::vector<Message> receives;
  Index fields = 1;  ///< number of fields in the messages
  std::size_t buffers = 0;
  std::size_t first_send_buffer = 0;
  std::size_t first_receive_buffer = 0;
};

/// Repeated exchanges of boxes through a channel. Without a channel, boxes are only copied between fields.
class BoxMessages {
 public:
  BoxMessages() = default;
  BoxMessages(BoxMessagesPlan const& plan, std::unique_ptr<Channel> channel);

  /// The memory of fields; this class sets the memory of messages.
  [[nodiscard]] BoxBuffers& buffers() { return buffers_; }

  void start(Execution const& execution);
  [[nodiscard]] bool progress();
  void finish(Execution const& execution);
  /// start and finish; one kernel where kernels signal arrival to each other.
  void exchange(Execution const& execution);
  /// See Exchange.
  [[nodiscard]] bool are_worth_hiding() const { return channel_ != nullptr && !small_; }
  [[nodiscard]] bool may_be_hidden() const { return channel_ != nullptr && !(small_ && flagged_); }
  [[nodiscard]] bool are_over_nvlink() const { return channel_ != nullptr && channel_->is_over_nvlink(); }
  [[nodiscard]] std::optional<int> buffer_index() const;
  void replayed();

 private:
  void begin();
  void run(Execution const& execution, BoxCopies const& copies);
  /// Orders later work on `execution` after the work on the message stream.
  void rejoin(Execution const& execution);
  void note_arrival();

  BoxBuffers buffers_;
  BoxCopies outgoing_;
  BoxCopies incoming_;
  std::unique_ptr<Channel> channel_;
  std::size_t sends_ = 0;
  std::size_t receives_ = 0;
  std::size_t first_send_buffer_ = 0;
  std::size_t first_receive_buffer_ = 0;
  bool flagged_ = false;  ///< every message has flags
  bool small_ = false;    ///< between devices: kernels exchange them in less time than a second stream takes to start
  bool beside_ = false;   ///< on a separate stream between start and finish
  bool arrived_ = true;   ///< all messages of the current exchange
  trace::Clock::time_point sent_;
};

}  // namespace halocline
