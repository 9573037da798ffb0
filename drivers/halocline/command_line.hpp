#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "framework/runtime/error.hpp"

namespace halocline {

class Communicator;

/// What a command line asks for.
struct CommandLine {
  /// The chosen subcommand; null when the answer is `text` alone (--help, --version, or what is wrong).
  std::function<ExitCode(std::shared_ptr<Communicator> const&)> command;
  ExitCode code = ExitCode::done;  ///< without a command
  std::string text;
  int ranks = 0;               ///< --ranks; 0: not given
  bool verbose = false;        ///< -v
  bool quiet = false;          ///< --quiet
  std::filesystem::path plot;  ///< folder to draw once the run is over; empty: none
};

/// Reads the arguments of main. Never throws: what is wrong with them is in `text`, with code wrong_input.
[[nodiscard]] CommandLine read_command_line(int count, char** arguments);

}  // namespace halocline
