#include "drivers/halocline/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <system_error>

#include "drivers/halocline/command_description.hpp"
#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/completion_script.hpp"
#include "drivers/halocline/continuation.hpp"
#include "drivers/halocline/job.hpp"
#include "drivers/halocline/launch.hpp"
#include "drivers/halocline/output_pattern.hpp"
#include "drivers/halocline/sweep.hpp"
#include "drivers/halocline/wall_limit.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/tree.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/runtime/config.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launcher.hpp"

namespace halocline {
namespace {

constexpr char const* exit_codes =
    "Exit codes: 0 done, 2 the deck or the command line is wrong, 3 the run failed (a solve, a stable step, a NaN\n"
    "or a plugin), 4 reading or writing failed, 5 stopped by a signal, the wall limit or the loss of a rank,\n"
    "70 a defect of Halocline. A sweep returns the largest code of its runs, or 5 if a signal stopped it.";

constexpr char const* program_examples =
    "Examples:\n"
    "  halocline run heat.yaml --plot              runs the deck; all results are in heat.out/\n"
    "  halocline run heat.yaml --ranks 2 --set solver.cg.preconditioner=multigrid\n"
    "  halocline run gray-scott.yaml --sweep F=0.02,0.03 --sweep k=0.05,0.06   four runs and a table of them\n"
    "  halocline check heat.yaml                   reports mistakes, memory and number of steps\n"
    "  halocline diff heat.out other.out           reports whether two runs are bitwise equal, or where they differ\n"
    "  halocline list solver.cg                    lists the options of one section of a deck\n"
    "\n";

/// Everything that may follow `halocline`.
std::vector<std::string> const first_words{"run",   "restart",     "check",        "diff",       "verify", "list",
                                           "bench", "new-physics", "test-physics", "completion", "--help", "--version"};

struct Commands {
  RunCommand run;
  CheckCommand check;
  DiffCommand diff;
  VerifyCommand verify;
  ListCommand list;
  BenchCommand bench;
  NewPhysicsCommand new_physics;
  TestPhysicsCommand test_physics;
  CompletionCommand completion;
  std::optional<FolderClaim> claim;  ///< of the output folder of `run`
};

FolderClaim& claim_folder(Commands& commands) {
  if (Job const* const job = joined_job()) {
    return commands.claim.emplace(commands.run.output, LockHolder{host_name(), job->starter});
  }
  return commands.claim.emplace(commands.run.output, commands.run.overwrite || commands.run.continues);
}

/// Options that take one value for each time they are given.
CLI::Option* add_repeatable(CLI::App& app, std::string const& name, std::string const& what,
                            std::vector<std::string>& values, std::string const& text) {
  return app.add_option(name, values, text)->expected(1)->take_all()->allow_extra_args(false)->option_text(what);
}

void add_deck(CLI::App& app, std::string& deck, std::vector<std::string>& set, std::vector<std::string>& plugins) {
  app.add_option("DECK", deck,
                 "Deck that describes the run: YAML, or a format that a physics defines (see halocline list)")
      ->required()
      ->option_text(" ");
  add_repeatable(app, "--set", "PATH=VALUE", set,
                 "Sets an option of the deck, for instance solver.method=jacobi; without a value, unsets it; may be "
                 "repeated");
  add_repeatable(app, "--plugin", "FILE", plugins, "Shared object with an additional physics; may be repeated");
}

void add_ranks(CLI::App& app, int& ranks, std::string const& text) {
  app.add_option("--ranks", ranks, text)->check(CLI::Range(1, most_ranks))->option_text("N");
}

/// Accepts what `read` can read; the message of its exception explains any other value.
CLI::Validator readable_by(auto const& read) {
  auto const check = [read](std::string const& text) {
    try {
      static_cast<void>(read(text));
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  return {check, ""};
}

/// An option of the deck that also exists on the command line, which takes precedence.
void add_devices(CLI::App& app, RunCommand& run) {
  app.add_option(
         "--devices", run.devices,
         "Devices of this host that its ranks may use: all, a number of them, or a list of device numbers (0,1)")
      ->check(readable_by(read_device_choice))
      ->option_text("DEVICES");
}

/// The common options of new and continued runs.
void add_way_of_running(CLI::App& app, RunCommand& run) {
  add_ranks(app, run.ranks, "Number of MPI ranks, all on this machine; starts mpirun");
  add_devices(app, run);
  app.add_option_function<std::string>(
         "--wall-limit", [&run](std::string const& text) { run.wall_limit = read_duration(text); },
         "Wall-clock limit, as seconds, 30m, 2h or H:MM:SS; the run stops before it, with a checkpoint and exit code "
         "5, and also before the end of its Slurm job; a sweep shares it among its runs")
      ->check(readable_by(read_duration))
      ->option_text("TIME");
  app.add_flag("--plot", run.plot,
               "Draws slices of the last state or its bodies, an animation, quantities, residuals and receiver traces");
  app.add_flag("--trace", run.trace, "Writes trace.json, a timeline of all ranks for Perfetto or chrome://tracing");
  auto* const verbose = app.add_flag("-v,--verbose", run.verbose, "Prints more messages on standard error");
  app.add_flag("--quiet", run.quiet, "Prints only errors")->excludes(verbose)->option_text(" ");
  verbose->option_text(" ");
}

void add_restart(CLI::App& program, RunCommand& run) {
  CLI::App& app =
      *program.add_subcommand("restart", "Resumes a run from its newest intact checkpoint, in the same folder");
  app.add_option("FOLDER", run.output, "Output folder of the run")->required()->option_text(" ");
  add_repeatable(app, "--set", "PATH=VALUE", run.set,
                 "Sets an option of the deck for the rest of the run, for instance time.end=20; may be repeated");
  add_repeatable(app, "--plugin", "FILE", run.plugins,
                 "Shared object with the physics of the run, which is loaded only if it is named; may be repeated");
  add_way_of_running(app, run);
}

void add_run(CLI::App& program, RunCommand& run) {
  CLI::App& app = *program.add_subcommand("run", "Runs a deck; writes summary.json, tables and snapshots");
  add_deck(app, run.deck, run.set, run.plugins);
  auto* const sweep =
      add_repeatable(app, "--sweep", "PATH=A,B,...", run.sweep,
                     "Runs the deck once with each value, one run after the other, as if set by --set; an option of "
                     "the physics needs only its name; if repeated, runs all combinations. Each run has its own folder "
                     "inside the output folder, where sweep.csv is the table of all runs");
  app.add_option("--output", run.output,
                 "Output folder, {deck}.out if not given; {job} and {task} are the job and array-task numbers of a "
                 "batch system")
      ->check(CLI::Validator([](std::string const& name) { return name.empty() ? "must name a folder" : ""; }, ""))
      ->option_text("FOLDER");
  auto* const overwrite = app.add_flag("--overwrite", run.overwrite, "Replaces an existing run in the output folder");
  app.add_flag("--continue", run.continues,
               "Resumes from the newest intact checkpoint in the output folder, or starts a run if there is none, so "
               "that all jobs of a chain use one command")
      ->excludes(overwrite)
      ->excludes(sweep);
  add_way_of_running(app, run);
}

void add_check(CLI::App& program, CheckCommand& check) {
  CLI::App& app =
      *program.add_subcommand("check", "Reports all mistakes in a deck and what a run needs, without running it");
  add_deck(app, check.deck, check.set, check.plugins);
  add_ranks(app, check.ranks, "Number of MPI ranks that the run would use, all on this machine");
}

/// CLI::NonNegativeNumber would print the largest double with all its digits.
double read_tolerance(std::string const& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  bool const is_number = !text.empty() && *end == '\0';
  if (is_number && std::isfinite(value) && value >= 0) return value;
  throw InputError("'" + text + "' is not a finite number of at least 0");
}

double read_limit(std::string const& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  bool const is_number = !text.empty() && *end == '\0';
  if (is_number && std::isfinite(value) && value > 0) return value;
  throw InputError("'" + text + "' is not a finite number of seconds above 0");
}

void add_diff(CLI::App& program, DiffCommand& diff) {
  CLI::App& app = *program.add_subcommand("diff", "Compares two runs or two snapshots and reports where they differ");
  app.add_option("A", diff.first, "Folder of a run, or a snapshot")->required()->option_text(" ");
  app.add_option("B", diff.second, "Run or snapshot to compare it with")->required()->option_text(" ");
  app.add_option("--tolerance", diff.tolerance,
                 "Largest accepted difference, relative to the largest value of the same field or quantity; 0: bitwise "
                 "equality")
      ->check(readable_by(read_tolerance))
      ->option_text("PART");
  app.footer("Exit code: 0 bitwise equal or within the tolerance; 3 different; 2 not comparable; 4 not readable.");
}

void add_verify(CLI::App& program, VerifyCommand& verify) {
  CLI::App& app = *program.add_subcommand("verify", "Checks the files of a run for damage");
  app.add_option("PATH", verify.path, "Folder of a run or sweep, a checkpoint, or one file of a run or checkpoint")
      ->required()
      ->option_text(" ");
  app.footer("Exit code: 0 all files are undamaged; 4 a file is damaged; 2 there are no files of a run.");
}

void add_list(CLI::App& program, ListCommand& list) {
  CLI::App& app = *program.add_subcommand("list", "Lists what decks can contain: physics, solvers, options");
  app.add_option(
         "SUBJECT", list.subjects,
         "physics, solvers, preconditioners, integrators, options, or a part of a deck: mesh, solver.cg, time.step")
      ->option_text("...");
  add_repeatable(app, "--plugin", "FILE", list.plugins, "Shared object with an additional physics; may be repeated");
  auto* const schema = app.add_flag("--schema", list.schema, "Prints the JSON schema of decks, for editors");
  auto* const markdown =
      app.add_flag("--markdown", list.markdown, "Prints all options as a reference page")->excludes(schema);
  app.add_flag("--man", list.man, "Prints the manual page of this program, or with `options` that of all deck options")
      ->excludes(schema)
      ->excludes(markdown)
      ->option_text(" ");
  markdown->option_text(" ");
  schema->option_text(" ");
}

void add_completion(CLI::App& program, CompletionCommand& given) {
  CLI::App& app = *program.add_subcommand("completion", "Prints a script with which a shell completes command lines");
  app.add_option("SHELL", given.shell, "bash, zsh or fish: source <(halocline completion bash)")
      ->check(CLI::IsMember(completion_shells()))
      ->required()
      ->option_text(" ");
  add_repeatable(app, "--plugin", "FILE", given.plugins, "Shared object with an additional physics; may be repeated");
}

void add_bench(CLI::App& program, BenchCommand& bench) {
  CLI::App& app =
      *program.add_subcommand("bench", "Times kernels, and copies of the same number of bytes for comparison");
  app.add_option("NAME", bench.names, "Benchmarks to run, or `list`; if none is given, all")->option_text("...");
  app.add_option("--size", bench.size, "Number of entries along an axis")
      ->check(CLI::Range(1, 1 << 30))
      ->option_text("N");
  app.add_option("--repetitions", bench.repetitions, "Number of measurements, whose median is reported")
      ->check(CLI::Range(1, 10000))
      ->option_text("N");
  app.add_option("--tune", bench.tune, "Source of tuning parameters, as with `tune` in a deck: off, read or search")
      ->check(CLI::IsMember({"off", "read", "search"}))
      ->option_text("MODE");
  app.add_option("--json", bench.json, "File for all results and a description of the machine")->option_text("FILE");
}

/// Accepts the kinds that have templates; says so if there are none.
CLI::Validator kind_of_physics() {
  std::vector<std::string> const kinds = physics_kinds();
  if (!kinds.empty()) return CLI::IsMember(kinds);
  return CLI::Validator([](std::string const&) { return "no templates are installed (share/halocline/templates)"; },
                        "");
}

void add_new_physics(CLI::App& program, NewPhysicsCommand& given) {
  CLI::App& app =
      *program.add_subcommand("new-physics", "Creates the project of a physics that builds and passes its tests");
  app.add_option("NAME", given.name, "Name of the physics, by which decks choose it")->required()->option_text(" ");
  app.add_option("--kind", given.kind, "Kind of problem, required: conservation-law, evolution or steady")
      ->check(kind_of_physics())
      ->required()
      ->option_text("KIND");
  app.add_option("--output", given.output, "Folder to create, NAME if not given")->option_text("FOLDER");
}

void add_test_physics(CLI::App& program, TestPhysicsCommand& given) {
  CLI::App& app = *program.add_subcommand("test-physics", "Tests whether a physics fulfils all that it declares");
  app.add_option("PHYSICS", given.physics, "Name of a physics, or a shared object with one")
      ->required()
      ->option_text(" ");
  add_repeatable(app, "--deck", "DECK", given.decks, "Deck to test it with; may be repeated");
  add_repeatable(app, "--plugin", "FILE", given.plugins, "Shared object with an additional physics; may be repeated");
  add_repeatable(app, "--only", "CHECK", given.only, "Runs only this check; may be repeated");
  app.add_option("--beside", given.beside, "Program of another build, for another backend, whose results must agree")
      ->option_text("PROGRAM");
  app.add_option("--limit", given.limit,
                 "Seconds of processor time after which a check is inconclusive, 20 if not given")
      ->check(readable_by(read_limit))
      ->option_text("SECONDS");
  app.footer(
      "Exit code: 0 all checks held or did not apply; 3 a check failed; 5 none failed, but some are inconclusive; 2 "
      "the "
      "physics or a deck is wrong.");
}

std::string typed(std::vector<std::string> const& words) {
  std::string text = "halocline";
  for (std::size_t n = 1; n < words.size(); ++n) text += " " + shell_word(words[n]);
  return text;
}

/// An unused word, preferably an option rather than a name. Empty: there is none.
std::string unknown_word(CLI::App const& app) {
  std::vector<std::string> const words = app.remaining();
  auto const option =
      std::find_if(words.begin(), words.end(), [](std::string const& word) { return word.starts_with("-"); });
  if (option != words.end()) return *option;
  return words.empty() ? "" : words.front();
}

/// The error of a command line, with advice.
std::string explained(CLI::App const& program, std::vector<std::string> const& words, CLI::ParseError const& error) {
  std::vector<CLI::App*> const chosen = program.get_subcommands();
  if (chosen.empty() && words.size() < 2)
    return "run, restart, check, diff, verify, list, bench, new-physics, test-physics or completion? `halocline "
           "--help` explains them";
  if (chosen.empty()) {
    std::string const& word = words[1];
    return "`" + deck::printable(word) + "`: not a subcommand of halocline; " + advice_for(word, first_words);
  }
  CLI::App const& app = *chosen.front();
  std::string const name = "halocline " + app.get_name();
  if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr) {
    std::vector<std::string> known;
    for (CLI::Option const* option : app.get_options()) {
      for (std::string const& long_name : option->get_lnames()) known.push_back("--" + long_name);
    }
    std::string const word = unknown_word(app);
    if (word.empty()) {
      return "`" + deck::printable(unknown_word(program)) + "`: unknown before `" + app.get_name() + "`; options of " +
             name + " follow it";
    }
    return "`" + deck::printable(word) + "`: unknown to " + name + "; " + advice_for(word, known);
  }
  return name + ": " + error.what() + "; see " + name + " --help";
}

/// Throws InputError if the name of the output folder cannot be determined.
void add_run_to(CommandLine& line, std::shared_ptr<Commands> const& commands) {
  RunCommand& given = commands->run;
  std::error_code gone;
  // All relative names refer to it; MPI, too, needs one.
  std::filesystem::path const place = std::filesystem::current_path(gone);
  if (gone || place.empty()) {
    throw InputError("the working directory cannot be used: " + gone.message() + "; change to one that exists");
  }
  if (given.restarts) given = command_to_go_on(std::move(given));
  line.ranks = given.restarts && under_launcher() && !launched() ? 0 : given.ranks;
  if (!given.restarts)
    given.output =
        given.output.empty() ? default_output_folder(given.deck).string() : output_of(given.output, given.deck);
  line.folder = given.output;
  line.claim = [commands]() -> FolderClaim& { return claim_folder(*commands); };
  line.release = [commands] { commands->claim.reset(); };
  line.without_ranks = [commands, ranks = std::max(1, line.ranks)] {
    RunCommand const& command = commands->run;
    return check({command.deck, command.deck_text, command.set, command.plugins, command.devices, ranks, true, false});
  };
  if (!given.sweep.empty()) {
    auto const sweep = std::make_shared<Sweep const>(given, line.ranks);
    line.sweep = sweep;
    line.without_ranks = [sweep] { return sweep->validate(); };
  }
  line.command = [commands, claim = line.claim](Environment& environment, std::shared_ptr<Communicator> const& ranks) {
    return run(commands->run, claim, environment, ranks);
  };
}

}  // namespace

std::string shell_word(std::string const& word) {
  auto const is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_@%+=:,./-", c) != nullptr; };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

CommandLine read_command_line(std::vector<std::string> const& words) {
  CommandLine line;
  auto const commands = std::make_shared<Commands>();
  CLI::App program("Halocline: performance-portable stencil and particle solvers", "halocline");
  program.footer(std::string(program_examples) + exit_codes);
  program.set_version_flag("--version", std::string(HALOCLINE_VERSION) + " (" + HALOCLINE_BACKEND_NAME + ")");
  program.require_subcommand(1);
  program.get_formatter()->column_width(28);
  add_run(program, commands->run);
  add_restart(program, commands->run);
  add_check(program, commands->check);
  add_diff(program, commands->diff);
  add_verify(program, commands->verify);
  add_list(program, commands->list);
  add_bench(program, commands->bench);
  add_new_physics(program, commands->new_physics);
  add_test_physics(program, commands->test_physics);
  add_completion(program, commands->completion);
  try {
    // CLI11 takes the words after the program's name in reverse order.
    program.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (CLI::ParseError const& error) {
    std::ostringstream out;
    std::ostringstream wrong;
    line.code = program.exit(error, out, wrong) == 0 ? ExitCode::done : ExitCode::wrong_input;
    line.text = line.code == ExitCode::done ? out.str() : explained(program, words, error);
    return line;
  }
  line.verbose = commands->run.verbose;
  line.quiet = commands->run.quiet;
  line.typed = commands->run.typed = commands->bench.typed = typed(words);
  line.plot = commands->run.plot;
  std::string const chosen = program.get_subcommands().front()->get_name();
  if (chosen == "check") line.without_ranks = [commands] { return check(commands->check); };
  if (chosen == "new-physics") line.without_ranks = [commands] { return new_physics(commands->new_physics); };
  if (chosen == "test-physics") line.without_ranks = [commands] { return test_physics(commands->test_physics); };
  if (chosen == "verify") line.without_ranks = [commands] { return verify(commands->verify); };
  if (chosen == "diff") line.without_ranks = [commands] { return diff(commands->diff); };
  commands->list.program = commands->completion.program = describe(program);
  if (chosen == "list") line.without_ranks = [commands] { return list(commands->list); };
  if (chosen == "completion") line.without_ranks = [commands] { return completion(commands->completion); };
  if (chosen == "bench") {
    line.command = [commands](Environment& environment, std::shared_ptr<Communicator> const& ranks) {
      return bench(commands->bench, environment, ranks);
    };
  }
  try {
    if (chosen == "restart") commands->run.restarts = commands->run.continues = true;
    if (chosen == "run" || chosen == "restart") add_run_to(line, commands);
  } catch (InputError const& error) {
    line = {};
    line.code = error.exit_code();
    line.text = error.what();
  }
  return line;
}

}  // namespace halocline
