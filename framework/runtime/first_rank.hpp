#pragma once

#include <exception>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Collective. Runs `work` on rank 0 alone; an exception there ends the call on all ranks, as in Communicator::agree.
template <class Work>
void on_first_rank(Communicator const& communicator, Work const& work) {
  std::exception_ptr failure;
  if (communicator.rank() == 0) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  communicator.agree(failure);
}

}  // namespace halocline
