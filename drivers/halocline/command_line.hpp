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

/// The result of reading a command line.
struct CommandLine {
  /// The chosen subcommand, if it solves or measures something; it starts Kokkos in the environment.
  std::function<ExitCode(Environment&, std::shared_ptr<Communicator> const&)> command;
  /// The chosen subcommand, if it only reports something. For `run` it validates the deck for `ranks` ranks and is
  /// silent if there are no mistakes. If neither is set, `text` is the answer (--help, --version, or an error).
  std::function<ExitCode()> without_ranks;
  /// For `run` with --sweep: `without_ranks` validates it, and `command` does not run it; null otherwise.
  std::shared_ptr<Sweep const> sweep;
  ExitCode code = ExitCode::done;  ///< used if there is no command
  std::string text;
  std::string typed;             ///< the whole command, quoted for a shell
  int ranks = 0;                 ///< --ranks; 0: not given
  bool verbose = false;          ///< -v
  bool quiet = false;            ///< --quiet
  bool plot = false;             ///< --plot: `folder` is plotted after the run
  std::filesystem::path folder;  ///< output folder of the run; empty for other subcommands
  /// Claims `folder` until `release`, or until the last copy of this object is destroyed. For the process that starts
  /// ranks.
  std::function<FolderClaim&()> claim;
  std::function<void()> release;
};

/// The largest number of --ranks.
inline constexpr int most_ranks = 1 << 20;

/// A word quoted for a shell if it needs quotes.
[[nodiscard]] std::string shell_word(std::string const& word);

/// Reads the words of a command line, the program's name first. Never throws: errors are in `text`, with code
/// wrong_input.
[[nodiscard]] CommandLine read_command_line(std::vector<std::string> const& words);

}  // namespace halocline
