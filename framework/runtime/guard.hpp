#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <string>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

/// How a guarded function ended. The same on all ranks, unless `unreachable`.
struct Verdict {
  ExitCode code = ExitCode::done;
  int origin = -1;           ///< lowest rank whose own exception ended the run; -1 when none did
  std::string message;       ///< of that exception; empty when none did
  bool unreachable = false;  ///< some rank did not answer in time, and no abort handler ended the program
};

/// An exception in a form that can be sent to other ranks.
struct Failure {
  ExitCode code = ExitCode::defect;
  std::string message;
  int origin = -1;  ///< rank that failed, in the communicator that carried the news; -1: this rank, not yet reported
};

/// What `exception` says. An Error keeps its code, a RemoteError its origin too; memory that ran out is `stopped`, and
/// any other exception a defect.
[[nodiscard]] Failure describe(std::exception_ptr const& exception);

struct GuardOptions {
  /// Ends the program on all ranks (MPI_Abort in the driver; called on one rank as a rule) when a rank does not answer
  /// in time because it is dead, stuck in a collective of another library, or computing. None: `unreachable` says so.
  std::function<void(Verdict const&)> abort = {};
  /// How long after the news of a failure a rank may take to come back.
  std::chrono::milliseconds deadline{5000};
};

/// Collective. Runs `function` on all ranks and returns when all have left it. A rank that fails tells the others,
/// whose waits then throw RemoteError; when several fail, the lowest rank's exception is the verdict. Without an
/// exception the verdict's code is the largest that a rank returned. After a failure, communicators of the family throw
/// RemoteError from every wait: make new ones from MPI's.
[[nodiscard]] Verdict run_guarded(Communicator const& communicator, std::function<ExitCode()> const& function,
                                  GuardOptions const& options = {});

}  // namespace halocline
