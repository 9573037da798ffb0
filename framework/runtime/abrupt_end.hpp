#pragma once

#include <string>
#include <string_view>

#include "framework/runtime/error.hpp"

namespace halocline {

/// A record of the run that a handler of signals can bring to its end.
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

/// While one of these lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) says in one line what it was and what
/// the program was doing, closes the record and ends the process with the exit code for it; so does an exit() that
/// nobody announced. Only a program's own main makes one, before it starts MPI.
class AbruptEnds {
 public:
  AbruptEnds();
  ~AbruptEnds();
  AbruptEnds(AbruptEnds const&) = delete;
  AbruptEnds& operator=(AbruptEnds const&) = delete;
};

/// The line goes to this file instead of standard error, behind the exit code on a line of its own. Of several
/// processes the first one makes it.
void tell_abrupt_end_in(std::string file);
/// Gives this thread a stack of its own for handlers, where it has none: its own may be what overflowed.
void prepare_thread_for_abrupt_end();
/// The rank that the line names; negative: there is but one.
void set_rank_of_abrupt_end(int rank) noexcept;
/// What is to be closed; nullptr: nothing. It lives until it is replaced.
void set_abrupt_record(AbruptRecord* record) noexcept;
/// What is closed instead while there is no record: what a run that has not begun takes back. It lives until it is
/// replaced; nullptr: nothing.
void set_abrupt_retreat(AbruptRecord* retreat) noexcept;
/// From here on the end of the record is being written: what closes it is an end at once alone.
void finish_abrupt_record() noexcept;
/// Closes the record as if the process ended now, and lets it go on. For handlers of signals.
void close_abrupt_record(ExitCode code, std::string_view message) noexcept;

/// Ends the process now: closes the record, tells `message`. For handlers of signals.
[[noreturn]] void end_abruptly(ExitCode code, std::string_view message) noexcept;

/// From here on exit() is meant, and a SIGABRT is nobody's crash: MPI_Abort and the end of main.
void expect_exit() noexcept;

}  // namespace halocline
