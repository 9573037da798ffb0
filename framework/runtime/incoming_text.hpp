#pragma once

#include <memory>
#include <optional>
#include <string>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Texts of any length that another rank sends, one after the other, each as two messages: its length, then itself,
/// with the tags `tag` and `tag` + 1.
class IncomingText {
 public:
  IncomingText(Communicator const& communicator, int from, int tag);
  /// What is on its way is abandoned.
  ~IncomingText();
  IncomingText(IncomingText&&) noexcept = default;
  IncomingText& operator=(IncomingText&&) = delete;

  [[nodiscard]] int from() const { return from_; }
  /// The next text, if it has come. Throws RemoteError as waits do.
  [[nodiscard]] std::optional<std::string> take();

 private:
  struct Announcement {
    Index length = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  Communicator const* communicator_;
  int from_;
  int tag_;
  std::shared_ptr<Announcement> announcement_ = std::make_shared<Announcement>();
};

/// Sends such a text, and returns when it has left this rank.
void send_text(Communicator const& communicator, std::string const& text, int to, int tag);

}  // namespace halocline
