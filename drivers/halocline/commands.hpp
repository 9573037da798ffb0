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

/// What the command line gives to `halocline run`.
struct RunCommand {
  std::string typed;                     ///< the whole command, quoted for a shell, for the record
  std::string deck;                      ///< path
  std::optional<std::string> deck_text;  ///< of a run that goes on: the deck as it was, whatever the file is now
  std::vector<std::string> set;          ///< --set path=value
  std::vector<std::string> sweep;        ///< --sweep path=value,value
  std::vector<std::string> plugins;      ///< --plugin, paths of shared objects
  std::string devices;                   ///< --devices; empty: as the deck says
  std::string output;                    ///< folder
  bool overwrite = false;
  bool continues = false;  ///< goes on from a checkpoint in the folder, if there is one
  bool restarts = false;   ///< … and there has to be one
  double wall_limit = 0;   ///< --wall-limit, in seconds; 0: none
  int ranks = 0;           ///< --ranks; 0: not given
  bool plot = false;
  bool trace = false;
  bool verbose = false;
  bool quiet = false;
};

/// What the command line gives to `halocline check`.
struct CheckCommand {
  std::string deck;
  std::optional<std::string> deck_text = {};  ///< as in RunCommand
  std::vector<std::string> set;
  std::vector<std::string> plugins;
  std::string devices;  ///< --devices, of the run that is judged; empty: as the deck says
  int ranks = 0;        ///< --ranks, of the run that is judged; 0: those that a launcher has started, else one
  bool quiet = false;   ///< no word of a deck without mistakes
  /// Looks at what the ranks of a run see for themselves: the files that fields are from, and the first step.
  bool contents = true;
};

/// What the command line gives to `halocline diff`.
struct DiffCommand {
  std::string first;     ///< folder of a run, or a snapshot
  std::string second;    ///< likewise
  double tolerance = 0;  ///< --tolerance, part of the largest value; 0: all bits have to be the same
};

/// What the command line gives to `halocline verify`.
struct VerifyCommand {
  std::string path;  ///< of a run's folder, of a checkpoint or of a file
};

/// What the command line gives to `halocline list`.
struct ListCommand {
  std::vector<std::string> subjects;  ///< "physics", "solvers", "options", a path of an option; empty: an overview
  std::vector<std::string> plugins;
  bool schema = false;         ///< --schema: the JSON schema of decks
  bool markdown = false;       ///< --markdown: the reference page of all options
  bool man = false;            ///< --man: the manual page of the program, or with the subject `options` that of decks
  ProgramDescription program;  ///< of which --man tells
};

/// What the command line gives to `halocline completion`.
struct CompletionCommand {
  std::string shell;
  std::vector<std::string> plugins;
  ProgramDescription program;
};

/// What the command line gives to `halocline test-physics`.
struct TestPhysicsCommand {
  std::string physics;               ///< a name, or the path of a shared object
  std::vector<std::string> decks;    ///< --deck; empty: those of the physics
  std::vector<std::string> plugins;  ///< --plugin, shared objects with other physics
  std::vector<std::string> only;     ///< --only, names of checks; empty: all
  std::string beside;                ///< --beside, the program of another build; empty: none
};

/// What the command line gives to `halocline new-physics`.
struct NewPhysicsCommand {
  std::string name;
  std::string kind;
  std::string output;  ///< --output, the folder to be made; empty: the name
};

/// What the command line gives to `halocline bench`.
struct BenchCommand {
  std::string typed;               ///< the whole command, for the record
  std::vector<std::string> names;  ///< of benchmarks; "list" tells them
  int size = 0;                    ///< --size; 0: those of the benchmarks
  int repetitions = 15;
  std::string tune = "read";  ///< --tune
  std::string json;           ///< --json, where the rows go; empty: nowhere
};

/// What `--kind` of `halocline new-physics` may be.
[[nodiscard]] std::vector<std::string> physics_kinds();

/// The deck of a command: the file, or the text that a run was started with. Collective; throws as Deck::load.
[[nodiscard]] Deck deck_of(std::string const& path, std::optional<std::string> const& text,
                           std::vector<Override> const& overrides, Communicator const& communicator,
                           std::vector<DeckFormat> const& formats);

/// Claims the output folder of a `run`, for as long as the program lives. For one rank, or the process that starts
/// them.
using ClaimFolder = std::function<FolderClaim&()>;

/// The subcommands that solve and measure, which start Kokkos in `environment`. Collective over `communicator`; rank 0
/// writes to standard output. They throw Errors.
[[nodiscard]] ExitCode run(RunCommand const& command, ClaimFolder const& claim, Environment& environment,
                           std::shared_ptr<Communicator> const& communicator);
[[nodiscard]] ExitCode bench(BenchCommand const& command, Environment& environment,
                             std::shared_ptr<Communicator> const& communicator);

/// The subcommands that only tell something, of one process: they start neither MPI nor Kokkos, and touch no device.
/// They throw Errors.
[[nodiscard]] ExitCode check(CheckCommand const& command);
[[nodiscard]] ExitCode list(ListCommand const& command);
/// Tells how two runs or two snapshots differ. ExitCode::unsolved if they do.
[[nodiscard]] ExitCode diff(DiffCommand const& command);
/// Looks whether files of a run are as they were written. Throws InputOutputError, which names all that are not.
[[nodiscard]] ExitCode verify(VerifyCommand const& command);
/// Writes the script by which a shell completes command lines.
[[nodiscard]] ExitCode completion(CompletionCommand const& command);
/// Writes the table of checks of a physics. Throws SolveError where one has failed.
[[nodiscard]] ExitCode test_physics(TestPhysicsCommand const& command);
/// Writes a project of a physics. Throws InputError for a name that no physics can have and a folder that is there.
[[nodiscard]] ExitCode new_physics(NewPhysicsCommand const& command);

}  // namespace halocline
