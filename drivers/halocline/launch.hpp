#pragma once

#include <string>
#include <vector>

#include "framework/runtime/error.hpp"

namespace halocline {

class HeldSignals;

/// Whether `launch` started this rank.
[[nodiscard]] bool launched();

/// How ranks that `launch` started ended.
struct LaunchEnd {
  ExitCode code = ExitCode::done;
  std::string message;  ///< the message of a failed run
};

/// mpirun ends, or hangs, without a folder for its temporary files. Throws InputOutputError if there is none, if it has
/// too little space for the ranks, or if the file size limit is too low for them.
void require_temporary_folder();
/// Why ranks cannot share memory through files, as a message that begins with `who`; empty if they can. mpirun and MPI
/// hang if the files of their memory cannot grow.
[[nodiscard]] std::string obstacle_of_file_size(std::string const& who);

/// Runs this program again on `ranks` ranks of this host under mpirun, with the same command line `words`, and waits
/// for its end. A signal that stops a run is forwarded to the ranks, which stop at their next step; a second one ends
/// them. Throws InputError if mpirun cannot be started.
[[nodiscard]] LaunchEnd launch(int ranks, std::vector<std::string> const& words, HeldSignals const& signals);

/// Ends this rank's program: reports to the launching process if `launch` started this rank, else writes the message to
/// standard error. Returns the exit code for main. For the one rank that reports for all ranks of a run.
int deliver(ExitCode code, std::string const& message);

/// The exit code for main of a rank that does not report.
int silent_end(ExitCode code);

/// Reports to `launch`, if it started this rank, that all ranks receive signals. For one rank of a run.
void report_listening();

/// Whether output may be read while the program runs. Other launchers give ranks a terminal that nobody reads, or
/// redirect all output to a file.
[[nodiscard]] bool is_watched();
/// Width of the terminal that is the run's standard output; 0 if it is no terminal.
[[nodiscard]] int terminal_columns();

}  // namespace halocline
