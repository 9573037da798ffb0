#pragma once

#include <mpi.h>
#include <nccl.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "framework/halo/transports/segment.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline::nccl {

/// The ranks of a run that share an NCCL communicator; kept until the process ends.
///
/// A kernel of NCCL waits for its peers for ever, and blocks the device meanwhile. So the ranks of a host share flags
/// that report failures; a thread of each rank polls them, and aborts NCCL's communicator after a failure.
class Group {
 public:
  /// Collective. Returns why NCCL cannot connect these ranks. If empty, `of` finds a group for any subset of them.
  [[nodiscard]] static std::string make(Communicator const& communicator);
  /// Throws InputOutputError if these ranks were never connected.
  [[nodiscard]] static Group& of(Communicator const& communicator);

  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;

  /// The NCCL ranks of all ranks of a communicator.
  [[nodiscard]] std::vector<int> peers(Communicator const& communicator) const;
  /// Calls `work` with NCCL's communicator and keeps it alive meanwhile. False if it was aborted after a failure.
  template <class Work>
  [[nodiscard]] bool use(Work const& work) {
    std::scoped_lock const lock(mutex_);
    if (communicator_ != nullptr) work(communicator_);
    return communicator_ != nullptr;
  }
  /// Called when this rank has failed, or has been notified of a failure: aborts NCCL's work on all ranks.
  void fail();

 private:
  Group(MPI_Group ranks, ncclComm_t communicator, OwnSegment own, std::vector<Segment> all);
  [[nodiscard]] bool holds(Communicator const& communicator) const;
  [[nodiscard]] bool any_failed() const;
  void abort();
  void watch();

  MPI_Group ranks_;
  std::mutex mutex_;
  ncclComm_t communicator_;  ///< null after an abort
  OwnSegment own_;
  std::vector<Segment> all_;  ///< of all ranks
};

/// Throws InputOutputError with the name of the call if it failed.
void check(ncclResult_t result, char const* call);

}  // namespace halocline::nccl
