#include "drivers/halocline/command_line.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/output.hpp"
#include "framework/runtime/config.hpp"

namespace halocline {
namespace {

constexpr char const* exit_codes =
    "Exit codes: 0 done, 2 the deck or the command line is wrong, 3 a solve did not reach what the deck asks,\n"
    "4 reading or writing failed, 5 stopped by a signal or by the loss of a rank, 70 a defect of Halocline.";

struct Commands {
  RunCommand run;
  CheckCommand check;
  ListCommand list;
};

/// Options that take one value each time they are given.
void add_repeatable(CLI::App& app, std::string const& name, std::vector<std::string>& values, std::string const& text) {
  app.add_option(name, values, text)->expected(1)->take_all()->allow_extra_args(false);
}

void add_deck(CLI::App& app, std::string& deck, std::vector<std::string>& overrides,
              std::vector<std::string>& plugins) {
  app.add_option("DECK", deck, "A deck in YAML, or TeaLeaf's tea.in")->required();
  add_repeatable(app, "--set", overrides, "Changes the deck: PATH=VALUE, as in solver.method=cg");
  add_repeatable(app, "--plugin", plugins, "A shared object with one more physics");
}

void add_run(CLI::App& program, RunCommand& run, CommandLine& line) {
  CLI::App& app = *program.add_subcommand("run", "Solves a deck and writes what it asks for");
  add_deck(app, run.deck, run.overrides, run.plugins);
  app.add_option("--output", run.output, "Folder for all that is written; default: the deck's name and .out");
  app.add_flag("--overwrite", run.overwrite, "Replaces the run that the folder holds");
  app.add_option("--ranks", line.ranks, "Starts so many ranks with mpirun")->check(CLI::Range(1, 1 << 20));
  app.add_flag("--plot", run.plot, "Draws a slice of the result and the residuals as PNG");
  auto* const verbose = app.add_flag("-v,--verbose", run.verbose, "Says more on standard error");
  app.add_flag("--quiet", run.quiet, "Prints nothing but errors")->excludes(verbose);
}

void add_check(CLI::App& program, CheckCommand& check) {
  CLI::App& app = *program.add_subcommand("check", "Judges a deck and names every mistake in it; runs nothing");
  add_deck(app, check.deck, check.overrides, check.plugins);
}

void add_list(CLI::App& program, ListCommand& list) {
  CLI::App& app = *program.add_subcommand("list", "Tells what decks can say: physics, solvers, options");
  app.add_option("SUBJECT", list.subjects, "physics, solvers, options, or the path of an option: solver.cg");
  add_repeatable(app, "--plugin", list.plugins, "A shared object with one more physics");
  auto* const schema = app.add_flag("--schema", list.schema, "The JSON schema of decks");
  app.add_flag("--markdown", list.markdown, "All options as a reference page")->excludes(schema);
}

std::string typed(int count, char** arguments) {
  std::string text = "halocline";
  for (int n = 1; n < count; ++n) text += std::string(" ") + arguments[n];
  return text;
}

}  // namespace

CommandLine read_command_line(int count, char** arguments) {
  CommandLine line;
  auto const commands = std::make_shared<Commands>();
  CLI::App program("Halocline: performance-portable stencil solvers", "halocline");
  program.footer(exit_codes);
  program.set_version_flag("--version", std::string(HALOCLINE_VERSION) + " (" + HALOCLINE_BACKEND_NAME + ")");
  program.require_subcommand(1);
  program.get_formatter()->column_width(28);
  add_run(program, commands->run, line);
  add_check(program, commands->check);
  add_list(program, commands->list);
  try {
    program.parse(count, arguments);
  } catch (CLI::ParseError const& error) {
    std::ostringstream out;
    std::ostringstream wrong;
    line.code = program.exit(error, out, wrong) == 0 ? ExitCode::done : ExitCode::wrong_input;
    line.text = line.code == ExitCode::done ? out.str() : std::string(error.what()) + "; see halocline --help";
    return line;
  }
  line.verbose = commands->run.verbose;
  line.quiet = commands->run.quiet;
  commands->run.typed = typed(count, arguments);
  if (commands->run.plot) line.plot = output_folder(commands->run);
  std::string const chosen = program.get_subcommands().front()->get_name();
  line.command = [commands, chosen](std::shared_ptr<Communicator> const& communicator) {
    if (chosen == "run") return run(commands->run, communicator);
    return chosen == "check" ? check(commands->check, communicator) : list(commands->list, communicator);
  };
  return line;
}

}  // namespace halocline
