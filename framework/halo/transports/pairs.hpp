#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/halo/transport.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

// What ranks that open a channel without MPI tell each other by MPI while they do.

namespace halocline {

/// Throws DefectError unless messages are received from the ranks that they are sent to, in that order.
inline void require_both_ways(std::vector<Message> const& sends, std::vector<Message> const& receives) {
  bool both_ways = sends.size() == receives.size();
  for (std::size_t n = 0; both_ways && n < sends.size(); ++n) both_ways = sends[n].rank == receives[n].rank;
  if (!both_ways) throw DefectError("a channel: a rank sends where it does not receive");
}

/// Gives each neighbour its entry of `mine`, and returns what they gave.
template <class T>
[[nodiscard]] std::vector<T> swapped_with(Communicator const& communicator, std::vector<Message> const& neighbours,
                                          std::vector<T> const& mine) {
  constexpr int tag = 3;
  auto const outgoing = std::make_shared<std::vector<T>>(mine);
  auto const incoming = std::make_shared<std::vector<T>>(mine.size());
  std::vector<MPI_Request> requests;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    requests.push_back(communicator.receive(&(*incoming)[n], sizeof(T), neighbours[n].rank, tag));
    requests.push_back(communicator.send(&(*outgoing)[n], sizeof(T), neighbours[n].rank, tag));
  }
  communicator.complete(std::move(requests),
                        std::make_shared<std::pair<decltype(outgoing), decltype(incoming)>>(outgoing, incoming));
  return *incoming;
}

/// Ends with the failure of this rank, if it has one, or InputOutputError if a neighbour has. Until then each may rely
/// on the others having kept what they offered.
inline void agree_with(Communicator const& communicator, std::vector<Message> const& neighbours,
                       std::exception_ptr const& failure, std::string const& what) {
  std::vector<char> const mine(neighbours.size(), failure == nullptr ? 1 : 0);
  std::vector<char> const ready = swapped_with(communicator, neighbours, mine);
  if (failure != nullptr) {
    // What a neighbour offered is gone, too, where it leaves for the failure of a third rank: word of that, which is
    // what the run fails for, is then on its way.
    auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    communicator.wait_until([end] { return std::chrono::steady_clock::now() > end; });
    std::rethrow_exception(failure);
  }
  for (std::size_t n = 0; n < ready.size(); ++n) {
    if (ready[n] != 0) continue;
    throw InputOutputError(what + " with rank " + std::to_string(neighbours[n].rank) + ": it failed there");
  }
}

}  // namespace halocline
