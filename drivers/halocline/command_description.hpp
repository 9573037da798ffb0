#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace halocline {

/// An option of a command line, or a positional argument.
struct CommandOption {
  std::vector<std::string> names;    ///< "-v", "--verbose", long names last; of a positional argument "DECK"
  std::string value;                 ///< placeholder of its value, "PATH=VALUE"; empty: it takes none
  std::vector<std::string> choices;  ///< all allowed values; empty: any
  std::string sentence;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;

  /// The last of the names.
  [[nodiscard]] std::string const& name() const { return names.back(); }
};

/// One of the subcommands.
struct CommandDescription {
  std::string name;
  std::string sentence;
  std::vector<CommandOption> options;
};

/// The declared grammar of the command line, from which manual page and completions are generated.
struct ProgramDescription {
  std::string name;
  std::string sentence;
  std::string footer;  ///< examples and exit codes at the end of `--help`
  std::vector<CommandOption> options;
  std::vector<CommandDescription> commands;
};

[[nodiscard]] ProgramDescription describe(CLI::App const& program);

}  // namespace halocline
