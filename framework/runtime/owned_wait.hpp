#pragma once

#include <memory>
#include <span>
#include <utility>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Communicator::wait_all for requests whose memory `owner` holds: where the wait ends in an exception both are
/// abandoned, since MPI may still touch that memory.
inline void wait_all_owned(Communicator const& communicator, std::span<MPI_Request> requests,
                           std::shared_ptr<void const> owner) {
  try {
    communicator.wait_all(requests);
  } catch (...) {
    Communicator::abandon(requests, std::move(owner));
    throw;
  }
}

}  // namespace halocline
