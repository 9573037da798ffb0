#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/guard.hpp"

namespace halocline {

/// What the ranks of a family of communicators tell each other when one of them fails. Two private communicators: one
/// for the news, one for the consensus at the end, so that neither ever meets a message of the program itself.
///
/// News is sent with synchronous sends: their completion is the acknowledgement. The consensus is an MPI_Iallreduce
/// that every rank enters when it leaves the guarded function, by return or by exception, once its own news has
/// arrived everywhere. When it completes, nothing of the protocol is in flight.
class ControlChannel {
 public:
  /// Of one process, without MPI.
  ControlChannel() = default;
  /// Collective over `parent`.
  explicit ControlChannel(MPI_Comm parent);
  ~ControlChannel();
  ControlChannel(ControlChannel const&) = delete;
  ControlChannel& operator=(ControlChannel const&) = delete;

  [[nodiscard]] int rank() const { return rank_; }

  /// Throws RemoteError when this rank knows of a failure elsewhere, now or from earlier.
  void poll();
  /// Returns when `done`, which is asked again and again, says so. Polls now and then, and lets others have the core
  /// when the wait grows long.
  void wait_until(auto const& done) {
    for (unsigned tests = 1; !done(); ++tests) pause(tests);
  }
  /// Whether a failure, here or elsewhere, ends a guarded function or has ended it, as far as is known: messages and
  /// collectives may be half done for ever.
  [[nodiscard]] bool broken() const { return broken_ || known_.has_value(); }

  /// Collective: the end of run_guarded. `failure` is what this rank left with, if not by returning `code`.
  [[nodiscard]] Verdict settle(std::optional<Failure> const& failure, ExitCode code, GuardOptions const& options);

  /// The ranks of this host outnumber its cores: a wait gives its core away at once.
  bool crowded = false;

 private:
  class Patience;

  void pause(unsigned tests);
  void receive_news();
  void tell(Failure const& failure);
  [[nodiscard]] bool told();
  [[nodiscard]] bool elect(Failure const* failure, ExitCode code, Patience& patience, Verdict& verdict);
  [[nodiscard]] bool publish(Failure const* failure, Patience& patience, Verdict& verdict);
  [[nodiscard]] Verdict give_up(std::optional<Failure> const& failure, GuardOptions const& options);

  MPI_Comm news_ = MPI_COMM_NULL;
  MPI_Comm consensus_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool broken_ = false;
  std::optional<Failure> known_;  ///< of the lowest rank whose news is here
  std::string outgoing_;
  std::vector<MPI_Request> sends_;  ///< by rank
};

/// Collective over `parent`. A duplicate of it whose errors are returned.
[[nodiscard]] MPI_Comm duplicate(MPI_Comm parent);

}  // namespace halocline
