#pragma once

#include <stdexcept>
#include <string>

namespace halocline {

/// How a run ends, as the shell sees it. Every Error carries one of these.
enum class ExitCode : int {
  done = 0,          ///< what the deck asks was reached
  wrong_input = 2,   ///< the deck or the command is wrong; nothing was written
  unsolved = 3,      ///< the run did not reach what the deck asks: a solve that failed, numbers that are none
  input_output = 4,  ///< reading or writing failed
  stopped = 5,       ///< a signal, the wall limit or a lost rank ended the run; what is on disk is whole
  defect = 70        ///< Halocline broke one of its own rules
};

/// Base of everything Halocline throws: one readable message and the exit code it leads to.
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

/// A solve ended without reaching what was asked of it.
struct SolveError : Error {
  explicit SolveError(std::string const& message) : Error(ExitCode::unsolved, message) {}
};

/// The state of a run, or a number made of it, is NaN or infinite.
struct NotANumberError : Error {
  explicit NotANumberError(std::string const& message) : Error(ExitCode::unsolved, message) {}
};

/// A file could not be read or written.
struct InputOutputError : Error {
  explicit InputOutputError(std::string const& message) : Error(ExitCode::input_output, message) {}
};

/// The run was told to stop, or lost a rank.
struct StoppedError : Error {
  explicit StoppedError(std::string const& message) : Error(ExitCode::stopped, message) {}
};

/// A rule of Halocline's own was broken: a defect to be reported.
struct DefectError : Error {
  explicit DefectError(std::string const& message) : Error(ExitCode::defect, message) {}
};

/// A physics broke what it promises, as what its functors read and which ghosts are there: its code is wrong, whatever
/// the deck says.
struct PhysicsError : Error {
  explicit PhysicsError(std::string const& message) : Error(ExitCode::wrong_input, message) {}
};

/// Another rank failed; thrown on the ranks that learn of it. The message and code are those of the failing rank.
class RemoteError : public Error {
 public:
  RemoteError(int origin, ExitCode code, std::string const& message) : Error(code, message), origin_(origin) {}
  /// Rank, in the communicator that carried the news, whose exception this repeats.
  [[nodiscard]] int origin() const noexcept { return origin_; }

 private:
  int origin_;
};

}  // namespace halocline
