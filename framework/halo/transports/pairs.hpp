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

// How ranks that open a channel without MPI messages coordinate through MPI.

namespace halocline {

/// Throws DefectError unless messages are received from the same ranks, in the same order, as they are sent to.
inline void require_both_ways(std::vector<Message> const& sends, std::vector<Message> const& receives) {
  bool both_ways = sends.size() == receives.size();
  for (std::size_t n = 0; both_ways && n < sends.size(); ++n) both_ways = sends[n].rank == receives[n].rank;
  if (!both_ways) throw DefectError("a channel: a rank sends where it does not receive");
}

/// Sends each neighbour its entry of `mine`, and returns the entries that they sent.
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

/// Throws this rank's failure, if there is one, or InputOutputError if a neighbour failed. Until it returns, each rank
/// keeps what it has offered to the others.
inline void agree_with(Communicator const& communicator, std::vector<Message> const& neighbours,
                       std::exception_ptr const& failure, std::string const& what) {
  std::vector<char> const mine(neighbours.size(), failure == nullptr ? 1 : 0);
  std::vector<char> const ready = swapped_with(communicator, neighbours, mine);
  if (failure != nullptr) {
    // A neighbour's offer also disappears when the neighbour unwinds because a third rank failed. That failure is the
    // one to report, and its notification is then under way: wait for it.
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
