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

/// What boxes are packed into and unpacked from. Of its buffers, those of messages sent follow each other, and so do
/// those of messages received.
struct BoxMessagesPlan {
  std::vector<BoxCopy> outgoing;  ///< into messages, and from field to field
  std::vector<BoxCopy> incoming;
  std::vector<Message> sends;
  std::vector<Message> receives;
  Index fields = 1;  ///< that messages are made of
  std::size_t buffers = 0;
  std::size_t first_send_buffer = 0;
  std::size_t first_receive_buffer = 0;
};

/// Boxes that go out and come in by a channel, over and over. Without a channel they are copied between fields alone.
class BoxMessages {
 public:
  BoxMessages() = default;
  BoxMessages(BoxMessagesPlan const& plan, std::unique_ptr<Channel> channel);

  /// The memory of fields; that of messages is set by this class.
  [[nodiscard]] BoxBuffers& buffers() { return buffers_; }

  void start(Execution const& execution);
  [[nodiscard]] bool progress();
  void finish(Execution const& execution);
  /// start and finish: one kernel where kernels tell each other what has come.
  void exchange(Execution const& execution);
  /// See Exchange.
  [[nodiscard]] bool are_worth_hiding() const { return channel_ != nullptr && !small_; }
  [[nodiscard]] bool may_be_hidden() const { return channel_ != nullptr && !(small_ && flagged_); }
  [[nodiscard]] std::optional<int> buffer_index() const;
  void replayed();

 private:
  void begin();
  void run(Execution const& execution, BoxCopies const& copies);
  /// What is enqueued from now on comes after what was enqueued beside.
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
  bool flagged_ = false;  ///< every message
  bool small_ = false;    ///< between devices: kernels that exchange them are over before a second stream would begin
  bool beside_ = false;   ///< on a stream of their own between start and finish
  bool arrived_ = true;   ///< all of the messages under way
  trace::Clock::time_point sent_;
};

}  // namespace halocline
