#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace halocline {

/// An option of a command line, or one of the words that stand without one.
struct CommandOption {
  std::vector<std::string> names;    ///< "-v", "--verbose", the long ones last; of a word without an option "DECK"
  std::string value;                 ///< what its value is called, "PATH=VALUE"; empty: it takes none
  std::vector<std::string> choices;  ///< all that the value may be; empty: anything
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

/// What a command line may say, as it is declared: manual page and completions are made from it.
struct ProgramDescription {
  std::string name;
  std::string sentence;
  std::string footer;  ///< examples and exit codes, as `--help` ends with them
  std::vector<CommandOption> options;
  std::vector<CommandDescription> commands;
};

[[nodiscard]] ProgramDescription describe(CLI::App const& program);

}  // namespace halocline
