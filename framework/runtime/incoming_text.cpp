#include "framework/runtime/incoming_text.hpp"

#include <array>
#include <utility>

#include "framework/runtime/owned_wait.hpp"

namespace halocline {

IncomingText::IncomingText(Communicator const& communicator, int from, int tag)
    : communicator_(&communicator), from_(from), tag_(tag) {}

IncomingText::~IncomingText() {
  if (announcement_) Communicator::abandon({&announcement_->request, 1}, announcement_);
}

std::optional<std::string> IncomingText::take() {
  Announcement& next = *announcement_;
  if (next.request == MPI_REQUEST_NULL) next.request = communicator_->receive(&next.length, sizeof(Index), from_, tag_);
  if (!communicator_->test_all({&next.request, 1})) return std::nullopt;
  auto const text = std::make_shared<std::string>(static_cast<std::size_t>(next.length), '\0');
  MPI_Request request = communicator_->receive(text->data(), next.length, from_, tag_ + 1);
  wait_all_owned(*communicator_, {&request, 1}, text);
  return std::move(*text);
}

void send_text(Communicator const& communicator, std::string const& text, int to, int tag) {
  auto const letter = std::make_shared<std::pair<Index, std::string>>(static_cast<Index>(text.size()), text);
  std::array requests{communicator.send(&letter->first, sizeof(Index), to, tag),
                      communicator.send(letter->second.data(), letter->first, to, tag + 1)};
  wait_all_owned(communicator, requests, letter);
}

}  // namespace halocline
