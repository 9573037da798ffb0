#pragma once

#include <stdexcept>
#include <string>

namespace halocline {

/// How a run ends: the exit status of the process. Every Error carries one of these.
enum class ExitCode : int {
  done = 0,          ///< the run reached what the deck asks
  wrong_input = 2,   ///< the deck or the command is wrong; nothing was written
  unsolved = 3,      ///< the run did not reach what the deck asks: a solve failed, or values are NaN or infinite
  input_output = 4,  ///< reading or writing failed
  stopped = 5,       ///< a signal, the wall limit or a lost rank ended the run; files on disk are complete
  defect = 70        ///< Halocline broke one of its own invariants
};

/// Base of all exceptions that Halocline throws: one readable message and the exit code of the run.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, std::string const& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The deck or the command line is wrong.
struct InputError : Error {
  explicit InputError(std::string const& message) : Error(ExitCode::wrong_input, message) {}
};

/// A solve did not reach the requested result.
struct SolveError : Error {
  explicit SolveError(std::string const& message) : Error(ExitCode::unsolved, message) {}
};

/// The state of a run, or a quantity computed from it, is NaN or infinite.
struct NotANumberError : Error {
  explicit NotANumberError(std::string const& message) : Error(ExitCode::unsolved, message) {}
};

/// A file could not be read or written.
struct InputOutputError : Error {
  explicit InputOutputError(std::string const& message) : Error(ExitCode::input_output, message) {}
};

/// The run was asked to stop, or lost a rank.
struct StoppedError : Error {
  explicit StoppedError(std::string const& message) : Error(ExitCode::stopped, message) {}
};

/// An invariant of Halocline's own was broken: a defect to report.
struct DefectError : Error {
  explicit DefectError(std::string const& message) : Error(ExitCode::defect, message) {}
};

/// A physics broke a promise, such as what its functors read or which ghosts they need: its code is wrong, not the
/// deck.
struct PhysicsError : Error {
  explicit PhysicsError(std::string const& message) : Error(ExitCode::wrong_input, message) {}
};

/// Another rank failed; thrown on the ranks that are notified. The message and code are those of the failing rank.
class RemoteError : public Error {
 public:
  RemoteError(int origin, ExitCode code, std::string const& message) : Error(code, message), origin_(origin) {}
  /// Rank whose exception this repeats, in the communicator that carried the news.
  [[nodiscard]] int origin() const noexcept { return origin_; }

 private:
  int origin_;
};

}  // namespace halocline
