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

/// The ranks of a run as NCCL knows them; to the end of the process.
///
/// A kernel of NCCL waits for its peers for ever, and with it whoever waits for the device. So ranks of a host share a
/// word that says whether one has failed, and a thread of each looks at it and ends what NCCL has under way.
class Group {
 public:
  /// Collective. Why NCCL cannot connect these ranks; empty: `of` finds a group for them and for any part of them.
  [[nodiscard]] static std::string make(Communicator const& communicator);
  /// Throws InputOutputError where these ranks were never connected.
  [[nodiscard]] static Group& of(Communicator const& communicator);

  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;

  /// NCCL's numbers of all ranks of a communicator.
  [[nodiscard]] std::vector<int> peers(Communicator const& communicator) const;
  /// Calls `work` with NCCL's communicator, which does not end meanwhile. False where it has ended: a rank has failed.
  template <class Work>
  [[nodiscard]] bool use(Work const& work) {
    std::scoped_lock const lock(mutex_);
    if (communicator_ != nullptr) work(communicator_);
    return communicator_ != nullptr;
  }
  /// This rank has failed, or heard that another has: ends what is under way, here and on the other ranks.
  void fail();

 private:
  Group(MPI_Group ranks, ncclComm_t communicator, OwnSegment own, std::vector<Segment> all);
  [[nodiscard]] bool holds(Communicator const& communicator) const;
  [[nodiscard]] bool any_failed() const;
  void abort();
  void watch();

  MPI_Group ranks_;
  std::mutex mutex_;
  ncclComm_t communicator_;  ///< null where it has ended
  OwnSegment own_;
  std::vector<Segment> all_;  ///< of all ranks
};

/// Throws InputOutputError with the name of the call if it failed.
void check(ncclResult_t result, char const* call);

}  // namespace halocline::nccl
