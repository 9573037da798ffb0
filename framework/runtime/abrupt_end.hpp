#pragma once

#include <string>
#include <string_view>

#include "framework/runtime/error.hpp"

namespace halocline {

/// A record of the run that a signal handler can finish.
class AbruptRecord {
 public:
  virtual ~AbruptRecord() = default;
  /// May be called at any moment and on any thread: allocates nothing and takes no lock.
  virtual void close(ExitCode code, std::string_view message) noexcept = 0;

 protected:
  AbruptRecord() = default;
  AbruptRecord(AbruptRecord const&) = default;
  AbruptRecord& operator=(AbruptRecord const&) = default;
};

/// While one of these lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) reports in one line its signal and what
/// the program was doing, closes the record and ends the process with the matching exit code. So does an exit() without
/// expect_exit(). Only a program's own main creates one, before it starts MPI.
class AbruptEnds {
 public:
  AbruptEnds();
  ~AbruptEnds();
  AbruptEnds(AbruptEnds const&) = delete;
  AbruptEnds& operator=(AbruptEnds const&) = delete;
};

/// Installs those handlers again where a library has replaced them meanwhile, as compilers within drivers of devices
/// do. Does nothing without an AbruptEnds.
void restore_abrupt_ends() noexcept;
/// Writes that line to this file instead of standard error, after a line with the exit code. If several processes end,
/// the first one creates the file.
void report_abrupt_end_in(std::string file);
/// Gives this thread its own stack for signal handlers if it has none: the thread's stack may be what overflowed.
void prepare_thread_for_abrupt_end();
/// The rank that the line names; negative: there is only one rank.
void set_rank_of_abrupt_end(int rank) noexcept;
/// The record to close; nullptr: none. It must live until it is replaced.
void set_abrupt_record(AbruptRecord* record) noexcept;
/// Closed instead while there is no record: undoes what a run that has not begun has prepared. It must live until it is
/// replaced; nullptr: none.
void set_abrupt_retreat(AbruptRecord* retreat) noexcept;
/// From here on the end of the record is being written: only an immediate end still closes it.
void finish_abrupt_record() noexcept;
/// Closes the record as if the process ended now, but the process continues. Safe in signal handlers.
void close_abrupt_record(ExitCode code, std::string_view message) noexcept;

/// Ends the process now: closes the record and reports `message`. Safe in signal handlers.
[[noreturn]] void end_abruptly(ExitCode code, std::string_view message) noexcept;

/// From here on exit() is intended and SIGABRT is not a crash: for MPI_Abort and the end of main.
void expect_exit() noexcept;

}  // namespace halocline
