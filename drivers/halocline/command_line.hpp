#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"

namespace halocline {

class Communicator;
class Environment;
class FolderClaim;
class Sweep;

/// What a command line asks for.
struct CommandLine {
  /// The chosen subcommand, if that solves or measures something; it starts Kokkos in the environment.
  std::function<ExitCode(Environment&, std::shared_ptr<Communicator> const&)> command;
  /// The chosen subcommand, if that only tells something; of a `run`, the judge of its deck for `ranks` ranks, who says
  /// nothing of a right one. Neither: the answer is `text` alone (--help, --version, or what is wrong).
  std::function<ExitCode()> judge;
  /// Of a `run` with --sweep, which `judge` judges, and `command` is no part of; null otherwise.
  std::shared_ptr<Sweep const> sweep;
  ExitCode code = ExitCode::done;  ///< without a command
  std::string text;
  std::string typed;             ///< the whole command, quoted for a shell
  int ranks = 0;                 ///< --ranks; 0: not given
  bool verbose = false;          ///< -v
  bool quiet = false;            ///< --quiet
  bool plot = false;             ///< --plot: `folder` is drawn once the run is over
  std::filesystem::path folder;  ///< where the run writes; empty for other subcommands
  /// Claims `folder` until `release`, or until the last copy of this object is gone. For the process that starts ranks.
  std::function<FolderClaim&()> claim;
  std::function<void()> release;
};

/// Reads the words of a command line, the program's name first. Never throws: what is wrong with them is in `text`,
/// with code wrong_input.
[[nodiscard]] CommandLine read_command_line(std::vector<std::string> const& words);

}  // namespace halocline
