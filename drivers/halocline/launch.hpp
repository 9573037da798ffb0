#pragma once

#include <string>
#include <vector>

#include "framework/runtime/error.hpp"

namespace halocline {

class HeldSignals;

/// Whether `launch` started this rank.
[[nodiscard]] bool launched();

/// How ranks that `launch` started came to their end.
struct LaunchEnd {
  ExitCode code = ExitCode::done;
  std::string message;  ///< the one message of a run that failed
};

/// mpirun ends, or waits for ever, without a folder for its temporary files: throws InputOutputError where there is
/// none, or no room in it for the ranks, or files may not grow as those of ranks do.
void require_temporary_folder();
/// Why ranks cannot share memory by files, as a message that begins with `who`; empty where they can. mpirun and MPI
/// wait for ever where the files of their memory may not grow.
[[nodiscard]] std::string obstacle_of_file_size(std::string const& who);

/// Runs this program again on `ranks` ranks of this host under mpirun, with the same command line `words`, and waits
/// for its end. A signal that stops a run is passed on to the ranks, which stop at their next step; a second one ends
/// them. Throws InputError when mpirun cannot be started.
[[nodiscard]] LaunchEnd launch(int ranks, std::vector<std::string> const& words, HeldSignals const& signals);

/// How this rank's program ends: tells the launching process where `launch` started this rank, else writes the message
/// to standard error. Returns what main must return. For one rank of a run, the one that speaks for all.
int deliver(ExitCode code, std::string const& message);

/// What main of a rank that does not speak must return.
int silent_end(ExitCode code);

/// Tells `launch`, if that started this rank, that signals reach all ranks. For one rank of a run.
void report_listening();

/// Whether what is said on the way may be read as it is said. Launchers of the user's give ranks a terminal that nobody
/// looks at, or put all of it into a file.
[[nodiscard]] bool is_watched();
/// Columns of the terminal that standard output of the whole run is; 0 when it is none.
[[nodiscard]] int terminal_columns();

}  // namespace halocline
