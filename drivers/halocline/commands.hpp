#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/halocline/command_description.hpp"
#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

class Communicator;
class Environment;
class FolderClaim;

/// The command line of `halocline run`.
struct RunCommand {
  std::string typed;                     ///< the whole command, quoted for a shell, for the record
  std::string deck;                      ///< path
  std::optional<std::string> deck_text;  ///< for a continued run: the original text of the deck
  std::vector<std::string> set;          ///< --set path=value
  std::vector<std::string> sweep;        ///< --sweep path=value,value
  std::vector<std::string> plugins;      ///< --plugin, paths of shared objects
  std::string devices;                   ///< --devices; empty: as in the deck
  std::string output;                    ///< folder
  bool overwrite = false;
  bool continues = false;  ///< continues from a checkpoint in the folder, if there is one
  bool restarts = false;   ///< … which must exist
  double wall_limit = 0;   ///< --wall-limit, in seconds; 0: none
  int ranks = 0;           ///< --ranks; 0: not given
  bool plot = false;
  bool trace = false;
  bool verbose = false;
  bool quiet = false;
};

/// The command line of `halocline check`.
struct CheckCommand {
  std::string deck;
  std::optional<std::string> deck_text = {};  ///< as in RunCommand
  std::vector<std::string> set;
  std::vector<std::string> plugins;
  std::string devices;  ///< --devices of the run; empty: as in the deck
  int ranks = 0;        ///< --ranks of the run; 0: the ranks that a launcher has started, or one
  bool quiet = false;   ///< prints nothing if there are no mistakes
  /// Also checks what the ranks of a run check themselves: files of fields, and the first step.
  bool contents = true;
};

/// The command line of `halocline diff`.
struct DiffCommand {
  std::string first;     ///< folder of a run, or a snapshot
  std::string second;    ///< likewise
  double tolerance = 0;  ///< --tolerance, fraction of the largest value; 0: all bits must agree
};

/// The command line of `halocline verify`.
struct VerifyCommand {
  std::string path;  ///< of a run's folder, a checkpoint or a file
};

/// The command line of `halocline list`.
struct ListCommand {
  std::vector<std::string> subjects;  ///< "physics", "solvers", "options", a path of an option; empty: an overview
  std::vector<std::string> plugins;
  bool schema = false;         ///< --schema: the JSON schema of decks
  bool markdown = false;       ///< --markdown: the reference page of all options
  bool man = false;            ///< --man: the manual page of the program or, with the subject `options`, of decks
  ProgramDescription program;  ///< described by --man
};

/// The command line of `halocline completion`.
struct CompletionCommand {
  std::string shell;
  std::vector<std::string> plugins;
  ProgramDescription program;
};

/// The command line of `halocline test-physics`.
struct TestPhysicsCommand {
  std::string physics;               ///< a name, or the path of a shared object
  std::vector<std::string> decks;    ///< --deck; empty: those of the physics
  std::vector<std::string> plugins;  ///< --plugin, shared objects with other physics
  std::vector<std::string> only;     ///< --only, names of checks; empty: all
  std::string beside;                ///< --beside, the program of another build; empty: none
  double limit = 20;                 ///< --limit, seconds of processor time of each check
};

/// The command line of `halocline new-physics`.
struct NewPhysicsCommand {
  std::string name;
  std::string kind;
  std::string output;  ///< --output, the folder to create; empty: the name
};

/// The command line of `halocline bench`.
struct BenchCommand {
  std::string typed;               ///< the whole command, for the record
  std::vector<std::string> names;  ///< names of benchmarks; "list" lists them
  int size = 0;                    ///< --size; 0: those of the benchmarks
  int repetitions = 15;
  std::string tune = "read";  ///< --tune
  std::string json;           ///< --json, the file for the rows; empty: none
};

/// The values of `--kind` of `halocline new-physics`.
[[nodiscard]] std::vector<std::string> physics_kinds();

/// The deck of a command: the file, or the text with which a run was started. Collective; throws as Deck::load does.
[[nodiscard]] Deck deck_of(std::string const& path, std::optional<std::string> const& text,
                           std::vector<Override> const& overrides, Communicator const& communicator,
                           std::vector<DeckFormat> const& formats);

/// Claims the output folder of a `run` for the lifetime of the program. For one rank, or for the process that starts
/// them.
using ClaimFolder = std::function<FolderClaim&()>;

/// The subcommands that solve and measure, which start Kokkos in `environment`. Collective over `communicator`; rank 0
/// writes to standard output. They throw Errors.
[[nodiscard]] ExitCode run(RunCommand const& command, ClaimFolder const& claim, Environment& environment,
                           std::shared_ptr<Communicator> const& communicator);
[[nodiscard]] ExitCode bench(BenchCommand const& command, Environment& environment,
                             std::shared_ptr<Communicator> const& communicator);

/// The subcommands that only report something, in one process: they start neither MPI nor Kokkos, and use no device.
/// They throw Errors.
[[nodiscard]] ExitCode check(CheckCommand const& command);
[[nodiscard]] ExitCode list(ListCommand const& command);
/// Reports how two runs or two snapshots differ. ExitCode::unsolved if they do.
[[nodiscard]] ExitCode diff(DiffCommand const& command);
/// Checks that the files of a run are unchanged. Throws InputOutputError, which names all that are not.
[[nodiscard]] ExitCode verify(VerifyCommand const& command);
/// Writes the script with which a shell completes command lines.
[[nodiscard]] ExitCode completion(CompletionCommand const& command);
/// Writes the table of checks of a physics. Throws SolveError if one has failed.
[[nodiscard]] ExitCode test_physics(TestPhysicsCommand const& command);
/// Writes the project of a physics. Throws InputError for a name that is not allowed and for an existing folder.
[[nodiscard]] ExitCode new_physics(NewPhysicsCommand const& command);

}  // namespace halocline
