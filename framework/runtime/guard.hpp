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

/// Converts `exception`. An Error keeps its code, a RemoteError its origin too; an error of the file system becomes
/// `input_output`, out of memory `stopped`, any other exception a defect.
[[nodiscard]] Failure describe(std::exception_ptr const& exception);

struct GuardOptions {
  /// Ends the program on all ranks (MPI_Abort in the driver; usually called on one rank) when a rank does not answer in
  /// time because it is dead, stuck in a collective of another library, or computing. Without one, `unreachable` is
  /// set.
  std::function<void(Verdict const&)> abort = {};
  /// Time limit for a rank to answer after the news of a failure.
  std::chrono::milliseconds deadline{5000};
};

/// Collective. Runs `function` on all ranks and returns when all have left it. A rank that fails notifies the others,
/// whose waits then throw RemoteError; if several fail, the lowest rank's exception is the verdict. Without an
/// exception the verdict's code is the largest that a rank returned. After a failure, every wait on a communicator of
/// the family throws RemoteError: create new communicators from MPI's.
[[nodiscard]] Verdict run_guarded(Communicator const& communicator, std::function<ExitCode()> const& function,
                                  GuardOptions const& options = {});

}  // namespace halocline
