#include "framework/runtime/teuchos_communicator.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// Above the tags of messages and of Communicator::gather.
constexpr int teuchos_tag = Communicator::last_tag + 2;

using Operation = Teuchos::ValueTypeReductionOp<int, char>;
using Request = Teuchos::RCP<Teuchos::CommRequest<int>>;
using Status = Teuchos::RCP<Teuchos::CommStatus<int>>;
using Ranks = Teuchos::RCP<Teuchos::Comm<int>>;

std::string text_of(char const* bytes, int count) { return {bytes, static_cast<std::size_t>(count)}; }

[[noreturn]] void refuse(std::string const& call) {
  throw DefectError("Teuchos calls `" + call + "` of a communicator that is made for statistics of timers");
}

std::string joined(std::vector<std::string> const& parts) {
  std::string all;
  for (std::string const& part : parts) all += part;
  return all;
}

/// Copies the gathered bytes of all ranks to `all`, which has `bytes` bytes.
void put(std::string const& gathered, char* all, int bytes) {
  if (gathered.size() != static_cast<std::size_t>(bytes)) {
    throw DefectError("Teuchos gathers " + std::to_string(gathered.size()) + " bytes where it expects " +
                      std::to_string(bytes));
  }
  std::copy(gathered.begin(), gathered.end(), all);
}

}  // namespace

int TeuchosCommunicator::getTag() const { return teuchos_tag; }
int TeuchosCommunicator::getRank() const { return communicator_.rank(); }
int TeuchosCommunicator::getSize() const { return communicator_.size(); }

void TeuchosCommunicator::barrier() const { communicator_.barrier(); }

void TeuchosCommunicator::broadcast(int root, int bytes, char* buffer) const {
  communicator_.broadcast(std::as_writable_bytes(std::span(buffer, static_cast<std::size_t>(bytes))), root);
}

void TeuchosCommunicator::gather(int bytes, char const* mine, int all_bytes, char* all, int root) const {
  std::vector<std::string> const parts = communicator_.gather(text_of(mine, bytes), root);
  if (getRank() == root) put(joined(parts), all, all_bytes);
}

void TeuchosCommunicator::gatherAll(int bytes, char const* mine, int all_bytes, char* all) const {
  std::string gathered = joined(communicator_.gather(text_of(mine, bytes), 0));
  communicator_.broadcast(gathered, 0);
  put(gathered, all, all_bytes);
}

void TeuchosCommunicator::reduceAll(Operation const& operation, int bytes, char const* mine, char* result) const {
  std::vector<std::string> const parts = communicator_.gather(text_of(mine, bytes), 0);
  std::string reduced;
  for (std::string const& part : parts) {
    if (reduced.empty()) {
      reduced = part;
    } else {
      operation.reduce(bytes, part.data(), reduced.data());
    }
  }
  communicator_.broadcast(reduced, 0);
  put(reduced, result, bytes);
}

void TeuchosCommunicator::send(int bytes, char const* buffer, int to) const { send(bytes, buffer, to, teuchos_tag); }

void TeuchosCommunicator::send(int bytes, char const* buffer, int to, int tag) const {
  communicator_.send_text(text_of(buffer, bytes), to, tag);
}

int TeuchosCommunicator::receive(int from, int bytes, char* buffer) const {
  if (from < 0) refuse("receive (from any rank)");
  auto const received = std::make_shared<std::string>(static_cast<std::size_t>(bytes), '\0');
  communicator_.complete({communicator_.receive(received->data(), bytes, from, teuchos_tag)}, received);
  std::copy(received->begin(), received->end(), buffer);
  return from;
}

// Timer statistics need none of these.
void TeuchosCommunicator::scan(Operation const&, int, char const*, char*) const { refuse("scan"); }
void TeuchosCommunicator::ssend(int, char const*, int) const { refuse("ssend"); }
void TeuchosCommunicator::ssend(int, char const*, int, int) const { refuse("ssend"); }
void TeuchosCommunicator::readySend(Teuchos::ArrayView<char const> const&, int) const { refuse("readySend"); }
void TeuchosCommunicator::readySend(int, char const*, int, int) const { refuse("readySend"); }
Request TeuchosCommunicator::isend(Teuchos::ArrayView<char const> const&, int) const { refuse("isend"); }
Request TeuchosCommunicator::isend(Teuchos::ArrayView<char const> const&, int, int) const { refuse("isend"); }
Request TeuchosCommunicator::ireceive(Teuchos::ArrayView<char> const&, int) const { refuse("ireceive"); }
Request TeuchosCommunicator::ireceive(Teuchos::ArrayView<char> const&, int, int) const { refuse("ireceive"); }
void TeuchosCommunicator::waitAll(Teuchos::ArrayView<Request> const&) const { refuse("waitAll"); }
void TeuchosCommunicator::waitAll(Teuchos::ArrayView<Request> const&, Teuchos::ArrayView<Status> const&) const {
  refuse("waitAll");
}
Status TeuchosCommunicator::wait(Teuchos::Ptr<Request> const&) const { refuse("wait"); }
Ranks TeuchosCommunicator::duplicate() const { refuse("duplicate"); }
Ranks TeuchosCommunicator::split(int, int) const { refuse("split"); }
Ranks TeuchosCommunicator::createSubcommunicator(Teuchos::ArrayView<int const> const&) const {
  refuse("createSubcommunicator");
}

}  // namespace halocline
