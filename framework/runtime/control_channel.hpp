#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/guard.hpp"
#include "framework/runtime/waiting.hpp"

namespace halocline {

/// Notifies the ranks of a family of communicators when one of them fails. It has two private communicators, one for
/// failure notices ("news") and one for the consensus at the end, so that neither mixes with the program's own
/// messages.
///
/// News is sent with synchronous sends: their completion is the acknowledgement. The consensus is an MPI_Iallreduce
/// that every rank enters when it leaves the guarded function, by return or by exception, once all ranks have received
/// its own news. When it completes, no message of the protocol is in flight.
class ControlChannel {
 public:
  /// For a single process without MPI.
  ControlChannel() = default;
  /// Collective over `parent`.
  explicit ControlChannel(MPI_Comm parent);
  ~ControlChannel();
  ControlChannel(ControlChannel const&) = delete;
  ControlChannel& operator=(ControlChannel const&) = delete;

  [[nodiscard]] int rank() const { return rank_; }

  /// Throws RemoteError if this rank has received news of a failure elsewhere, now or earlier.
  void poll();
  /// Calls `done` repeatedly and returns when it yields true. Polls at intervals, and pauses as `Waiting` does.
  void wait_until(auto const& done) {
    Waiting waiting(crowded);
    while (!done()) {
      bool const slept = waiting.pause() == Waiting::Pause::sleep;
      if (slept || waiting.tests() % tests_per_poll == 0) poll();
    }
  }
  /// Whether a failure, here or elsewhere, is known to end or to have ended a guarded function: messages and
  /// collectives may then stay incomplete.
  [[nodiscard]] bool broken() const { return broken_ || known_.has_value(); }

  /// Collective: the end of run_guarded. `failure` is the exception with which this rank left; otherwise it returned
  /// `code`.
  [[nodiscard]] Verdict settle(std::optional<Failure> const& failure, ExitCode code, GuardOptions const& options);

  /// Of this rank, see `is_crowded`.
  bool crowded = false;

 private:
  class LimitedWait;
  static constexpr unsigned tests_per_poll = 64;

  void receive_news();
  void report(Failure const& failure);
  [[nodiscard]] bool sends_done();
  [[nodiscard]] bool elect(Failure const* failure, ExitCode code, LimitedWait& wait, Verdict& verdict);
  [[nodiscard]] bool publish(Failure const* failure, LimitedWait& wait, Verdict& verdict);
  [[nodiscard]] Verdict give_up(std::optional<Failure> const& failure, GuardOptions const& options);

  MPI_Comm news_ = MPI_COMM_NULL;
  MPI_Comm consensus_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool broken_ = false;
  std::optional<Failure> known_;  ///< of the lowest rank whose news has arrived
  std::string outgoing_;
  std::vector<MPI_Request> sends_;  ///< by rank
};

/// Collective over `parent`. Duplicates it; errors of MPI are returned (MPI_ERRORS_RETURN).
[[nodiscard]] MPI_Comm duplicate(MPI_Comm parent);

}  // namespace halocline
