#include "drivers/halocline/sweep.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "drivers/halocline/child_command.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/device_judgement.hpp"
#include "drivers/halocline/io_judgement.hpp"
#include "drivers/halocline/memory_need.hpp"
#include "drivers/halocline/rehearsal.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/deck.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/run_record.hpp"
#include "framework/io/table_writer.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/memory.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr char const* table_name = "sweep.csv";
constexpr std::size_t most_named = 5;  ///< runs in a message

/// Names of options, sections and lists.
std::vector<std::string> names_in(Section const& section) {
  std::vector<std::string> names;
  for (Option const& option : section.options()) names.push_back(option.name());
  for (Section const& nested : section.sections()) names.push_back(nested.name());
  for (Section const& element : section.lists()) names.push_back(element.name());
  return names;
}

bool is_among(std::string const& name, std::vector<std::string> const& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// First name of a path: "mesh" of "mesh.cells[0]".
std::string first_name(std::string const& path) { return path.substr(0, path.find_first_of(".[")); }

/// The lines of messages of several runs, without duplicates.
class Lines {
 public:
  void add(std::string const& text, std::string const& run) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      auto const [found, is_new] = places_.try_emplace(line, lines_.size());
      if (is_new) lines_.push_back({line, run, 0});
      ++lines_[found->second].runs;
    }
  }

  /// \param runs number of runs of the sweep
  [[nodiscard]] std::string text(std::size_t runs) const {
    std::string all;
    std::size_t const shown = std::min(lines_.size(), Mistakes::most_shown);
    for (Line const& line : std::span(lines_).first(shown)) {
      all += all.empty() ? "" : "\n";
      if (line.runs == 1 && runs > 1) all += line.first + ": ";
      if (line.runs > 1 && line.runs < runs)
        all += fmt::format("{} and {} more run{}: ", line.first, line.runs - 1, line.runs == 2 ? "" : "s");
      all += line.text;
    }
    if (std::size_t const more = lines_.size() - shown; more > 0)
      all += fmt::format("\n... and {} more mistake{}", more, more == 1 ? "" : "s");
    return all;
  }
  [[nodiscard]] bool empty() const { return lines_.empty(); }

 private:
  struct Line {
    std::string text;
    std::string first;  ///< the first run with this line
    std::size_t runs;
  };
  std::vector<Line> lines_;
  std::map<std::string, std::size_t> places_;
};

/// Validates the decks of a sweep, which differ in a few options.
class SweepJudge {
 public:
  SweepJudge(RunCommand const& command, int ranks, std::vector<SweptOption> const& options)
      : physics_(load_physics(command.plugins)),
        declaration_(declare_deck(physics_)),
        names_(names_in(declaration_)),
        deck_(Deck::load(command.deck, overrides_of(command.set, command.devices), Communicator::alone(),
                         deck_formats(physics_))),
        ranks_(std::max(1, ranks)),
        options_(options),
        set_(command.set) {}

  /// The changes of the deck for a run: "gray-scott.F=0.02", … Throws InputError for an unknown name, and for two names
  /// of one option.
  std::vector<std::string> changes(SweptRun const& run) {
    std::vector<std::string> const& paths = full_paths(physics_of(run));
    std::vector<std::string> changes;
    for (std::size_t n = 0; n < paths.size(); ++n) changes.push_back(paths[n] + "=" + run.values[n]);
    return changes;
  }

  /// Throws InputError with all mistakes.
  void judge(SweptRun const& run, std::vector<std::string> const& changes) {
    std::vector<Override> overrides;
    bool const has_physics = !physics_of(run).empty();
    for (std::size_t n = 0; n < changes.size(); ++n) {
      // If the physics is unknown, so are its options: not a further mistake.
      if (!has_physics && !is_among(first_name(changes[n]), names_)) continue;
      overrides.push_back(
          {changes[n], "--sweep " + deck::printable(options_[n].name) + "=" + deck::printable(run.values[n])});
    }
    Deck const deck = deck_.with(overrides);
    int const serving = io_ranks(deck, ranks_);
    MemoryBudget const budget = foretold_memory_budget(ranks_, serving);
    auto& declaration = resolved_[serving];
    if (!declaration) declaration = deck::resolve(declare_deck(physics_, budget));
    Options const options = deck.read(declaration);
    PhysicsEntry const& entry = physics_.find(options.choice("physics"));
    if (entry.points) return;
    auto const forecast = uses_device_memory()
                              ? std::nullopt
                              : rehearse(deck, physics_, static_cast<double>(free_host_memory())).forecast;
    Mistakes mistakes;
    judge_memory(options, entry, forecast, budget, mistakes);
    mistakes.report();
  }

 private:
  /// The name of the physics of a run; empty if the deck has none.
  std::string physics_of(SweptRun const& run) {
    std::string const option_name = "physics";
    std::string swept;
    for (std::size_t n = 0; n < options_.size(); ++n) {
      if (options_[n].name == option_name) swept = option_name + "=" + run.values[n];
    }
    auto const [found, is_new] = physics_of_change_.try_emplace(swept);
    if (is_new) {
      Deck const deck = swept.empty() ? deck_ : deck_.with(overrides_by_set({swept}));
      auto const option = std::find_if(declaration_.options().begin(), declaration_.options().end(),
                                       [&](Option const& each) { return each.name() == option_name; });
      OptionValue const value = deck.unjudged(*option);
      auto const* const name = std::get_if<std::string>(&value);
      if (name != nullptr && physics_.contains(*name)) found->second = *name;
    }
    return found->second;
  }

  /// The swept options' full paths in a deck of `physics`.
  std::vector<std::string> const& full_paths(std::string const& physics) {
    if (auto const found = paths_.find(physics); found != paths_.end()) return found->second;
    std::vector<std::string> paths;
    std::vector<std::string> const own =
        physics.empty() ? std::vector<std::string>() : names_in(physics_.find(physics).options);
    std::string unknown;
    for (SweptOption const& option : options_) {
      std::string const first = first_name(option.name);
      bool const is_of_physics = !is_among(first, names_) && is_among(first, own);
      paths.push_back((is_of_physics ? physics + "." : "") + option.name);
      // For a deck without a physics that is reported first.
      if (is_of_physics || is_among(first, names_) || physics.empty()) continue;
      std::vector<std::string> known = own;
      known.insert(known.end(), names_.begin(), names_.end());
      unknown += fmt::format("{}`--sweep {}`: `{}` is unknown in the deck and in {}; {}", unknown.empty() ? "" : "\n",
                             deck::printable(option.name), deck::printable(first), physics, advice_for(first, known));
    }
    if (!unknown.empty()) throw InputError(unknown);
    require_each_once(paths);
    require_not_set(paths);
    return paths_[physics] = paths;
  }

  void require_each_once(std::vector<std::string> const& paths) const {
    for (std::size_t n = 0; n < paths.size(); ++n) {
      auto const first = static_cast<std::size_t>(std::find(paths.begin(), paths.end(), paths[n]) - paths.begin());
      if (first == n) continue;
      throw InputError(fmt::format("`--sweep {}`, `--sweep {}`: the same option", deck::printable(options_[first].name),
                                   deck::printable(options_[n].name)));
    }
  }

  void require_not_set(std::vector<std::string> const& paths) const {
    for (std::string const& assignment : set_) {
      std::string const path = assignment.substr(0, assignment.find('='));
      auto const swept = std::find(paths.begin(), paths.end(), path);
      if (swept == paths.end()) continue;
      auto const n = static_cast<std::size_t>(swept - paths.begin());
      throw InputError(fmt::format("`--set {}`, `--sweep {}`: the same option", deck::printable(assignment),
                                   deck::printable(options_[n].name)));
    }
  }

  Registry<PhysicsEntry> physics_;
  Section declaration_;
  std::vector<std::string> names_;  ///< at the root of a deck
  Deck deck_;
  int ranks_;
  std::vector<SweptOption> const& options_;
  std::vector<std::string> const& set_;                                   ///< `--set` of the command
  std::map<int, std::shared_ptr<deck::ResolvedSection const>> resolved_;  ///< by the number of I/O ranks
  std::map<std::string, std::string> physics_of_change_;
  std::map<std::string, std::vector<std::string>> paths_;  ///< by physics
};

/// How a run of a sweep ended, and its results.
struct RunEnd {
  ExitCode code = ExitCode::done;
  std::string status;
  std::vector<NamedValue> quantities = {};
};

/// The end of a process that can no longer report.
struct ProcessEnd {
  ExitCode code = ExitCode::done;
  std::string message;  ///< of one that could not report itself
};

ProcessEnd end_of(CommandEnd const& end) {
  if (WIFSIGNALED(end.status)) {
    int const signal = WTERMSIG(end.status);
    if (end.asked && !end.ended && signal != SIGKILL)
      return {ExitCode::stopped, "stopped by a signal before the run began"};
    return {ExitCode::stopped,
            fmt::format("the run was lost: killed by signal {} ({}{}; files on disk are intact", signal,
                        strsignal(signal), signal == SIGKILL ? "; by another process, or out of memory)" : ")")};
  }
  auto const code = static_cast<ExitCode>(WEXITSTATUS(end.status));
  constexpr std::array known{ExitCode::done,         ExitCode::wrong_input, ExitCode::unsolved,
                             ExitCode::input_output, ExitCode::stopped,     ExitCode::defect};
  if (std::find(known.begin(), known.end(), code) != known.end()) return {code, ""};
  return {ExitCode::input_output, fmt::format("the run ended with code {}", WEXITSTATUS(end.status))};
}

/// Reports the end of a run that cannot do so itself, and completes its record.
void speak_for(fs::path const& folder, FileTime start, ProcessEnd const& end) {
  std::string message = end.message;
  try {
    close_summary(folder, start, end.code, end.message);
  } catch (InputOutputError const& error) {
    message += std::string("; and the record could not be completed: ") + error.what();
  }
  std::fprintf(stderr, "halocline: %s: %s\n", folder.c_str(), message.c_str());
}

/// A number that JSON cannot represent is stored as text.
double number_of(nlohmann::ordered_json const& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? std::strtod(value.get_ref<std::string const&>().c_str(), nullptr) : 0;
}

/// The summary of a run, if it has written one since `start`.
RunEnd read_end(fs::path const& folder, FileTime start, ExitCode code) {
  RunEnd end{code, status_of(code)};
  fs::path const path = folder / "summary.json";
  std::error_code missing;
  FileTime const written = fs::last_write_time(path, missing);
  if (missing || written < start) return end;
  std::ifstream file(path);
  auto const summary = nlohmann::ordered_json::parse(file, nullptr, false);
  if (!summary.is_object()) return end;
  if (summary.value("exit_code", nlohmann::ordered_json()) == static_cast<int>(code))
    end.status = summary.value("status", end.status);
  auto const quantities = summary.find("quantities");
  if (quantities == summary.end() || !quantities->is_object()) return end;
  for (auto const& [name, value] : quantities->items()) end.quantities.push_back({name, number_of(value)});
  return end;
}

/// One row per finished run, in their order.
class SweepTable {
 public:
  using Value = TableWriter::Value;

  SweepTable(std::vector<SweptOption> const& options, std::vector<SweptRun> const& runs)
      : options_(options), runs_(runs) {}

  /// The end of the next run.
  void add(RunEnd end) {
    for (NamedValue const& quantity : end.quantities) {
      if (!is_among(quantity.name, quantities_)) quantities_.push_back(quantity.name);
    }
    ends_.push_back(std::move(end));
  }

  /// As CSV. Values that a run does not have are left empty.
  [[nodiscard]] std::string csv() const {
    std::vector<Value> header{"folder"};
    for (SweptOption const& option : options_) header.emplace_back(option.name);
    header.insert(header.end(), {"status", "exit_code"});
    header.insert(header.end(), quantities_.begin(), quantities_.end());
    std::string text = TableWriter::line_of(header);
    for (std::size_t n = 0; n < ends_.size(); ++n) {
      std::vector<Value> row{runs_[n].folder};
      row.insert(row.end(), runs_[n].values.begin(), runs_[n].values.end());
      row.emplace_back(ends_[n].status);
      row.emplace_back(static_cast<Index>(ends_[n].code));
      for (std::string const& name : quantities_) {
        std::optional<double> const value = value_of(name, ends_[n]);
        if (value) {
          row.emplace_back(*value);
        } else {
          row.emplace_back(std::string());
        }
      }
      text += TableWriter::line_of(row);
    }
    return text;
  }

  /// For people: in columns, with short numbers.
  [[nodiscard]] std::string text() const {
    std::vector<std::vector<std::string>> rows(1);
    for (SweptOption const& option : options_) rows[0].push_back(deck::printable(option.name));
    rows[0].emplace_back("status");
    rows[0].insert(rows[0].end(), quantities_.begin(), quantities_.end());
    for (std::size_t n = 0; n < ends_.size(); ++n) {
      std::vector<std::string>& row = rows.emplace_back();
      for (std::string const& value : runs_[n].values) row.push_back(deck::printable(value));
      row.push_back(ends_[n].status);
      for (std::string const& name : quantities_) {
        std::optional<double> const value = value_of(name, ends_[n]);
        row.push_back(value ? fmt::format("{:.8g}", *value) : "-");
      }
    }
    return in_columns(rows);
  }

  [[nodiscard]] std::vector<RunEnd> const& ends() const { return ends_; }

 private:
  static std::optional<double> value_of(std::string const& name, RunEnd const& end) {
    auto const found = std::find_if(end.quantities.begin(), end.quantities.end(),
                                    [&](NamedValue const& quantity) { return quantity.name == name; });
    return found == end.quantities.end() ? std::nullopt : std::optional(found->value);
  }

  static std::string in_columns(std::vector<std::vector<std::string>> const& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (auto const& row : rows) {
      for (std::size_t column = 0; column < row.size(); ++column)
        widths[column] = std::max(widths[column], row[column].size());
    }
    std::string text;
    for (auto const& row : rows) {
      std::string line;
      for (std::size_t column = 0; column < row.size(); ++column)
        line += fmt::format("{:<{}}", row[column], widths[column] + 2);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
  }

  std::vector<SweptOption> const& options_;
  std::vector<SweptRun> const& runs_;
  std::vector<RunEnd> ends_;
  std::vector<std::string> quantities_;  ///< in order of first appearance
};

/// Escapes braces, which `--output` would take for a pattern.
std::string as_pattern(std::string const& folder) {
  std::string pattern;
  for (char const letter : folder) pattern.append(letter == '{' || letter == '}' ? 2 : 1, letter);
  return pattern;
}

/// The runs that did not end normally; empty: none.
std::string failures(std::vector<SweptRun> const& runs, std::vector<RunEnd> const& ends) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t n = 0; n < ends.size(); ++n) {
    if (ends[n].code == ExitCode::done) continue;
    ++count;
    if (count <= most_named) names += fmt::format("{}{} ({})", count == 1 ? "" : ", ", runs[n].folder, ends[n].status);
  }
  if (count == 0) return "";
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  return fmt::format("{} of {} runs did not reach {} end: {}", count, runs.size(), count == 1 ? "its" : "their", names);
}

ExitCode worst(std::vector<RunEnd> const& ends) {
  ExitCode worst = ExitCode::done;
  for (RunEnd const& end : ends) worst = std::max(worst, end.code);
  return worst;
}

}  // namespace

Sweep::Sweep(RunCommand command, int ranks)
    : command_(std::move(command)),
      ranks_(ranks),
      options_(read_sweeps(command_.sweep)),
      runs_(swept_runs(options_)),
      judged_(memfd_create("halocline", MFD_CLOEXEC)) {}

ExitCode Sweep::judge() const {
  SweepJudge judge(command_, ranks_, options_);
  Lines mistakes;
  std::string judged;
  for (SweptRun const& run : runs_) {
    try {
      std::vector<std::string> const changes = judge.changes(run);
      judge.judge(run, changes);
      for (std::string const& change : changes) judged += change + '\0';
    } catch (InputError const& error) {
      mistakes.add(error.what(), run.folder);
    }
  }
  if (!mistakes.empty()) throw InputError(mistakes.text(runs_.size()));
  if (!write_all(judged_.number(), judged)) throw InputOutputError("--sweep: cannot create a file in memory");
  return ExitCode::done;
}

std::vector<std::vector<std::string>> Sweep::judged_changes() const {
  std::string text;
  std::array<char, 1 << 14> part{};
  // The validating process has moved the file position to the end.
  lseek(judged_.number(), 0, SEEK_SET);
  for (ssize_t count = 0; (count = read(judged_.number(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(count));
  std::istringstream words(text);
  std::vector<std::vector<std::string>> changes(runs_.size());
  for (auto& each : changes) {
    for (std::string word; each.size() < options_.size() && std::getline(words, word, '\0');) each.push_back(word);
    if (each.size() != options_.size())
      throw StoppedError("the process that validates the decks of the sweep was killed");
  }
  return changes;
}

std::vector<std::string> Sweep::words_of(SweptRun const& run, std::vector<std::string> const& changes) const {
  std::string const deck = command_.deck.starts_with('-') ? "./" + command_.deck : command_.deck;
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(), "run", deck};
  auto const add = [&words](char const* option, std::string const& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  for (std::string const& change : command_.set) add("--set", change);
  for (std::string const& change : changes) add("--set", change);
  for (std::string const& plugin : command_.plugins) add("--plugin", plugin);
  if (ranks_ > 0) add("--ranks", std::to_string(ranks_));
  if (!command_.devices.empty()) add("--devices", command_.devices);
  add("--output", as_pattern((fs::path(command_.output) / run.folder).string()));
  for (auto const& [given, flag] : {std::pair(command_.overwrite, "--overwrite"), std::pair(command_.plot, "--plot"),
                                    std::pair(command_.trace, "--trace"), std::pair(command_.verbose, "--verbose"),
                                    std::pair(command_.quiet, "--quiet")}) {
    if (given) words.emplace_back(flag);
  }
  return words;
}

SweepEnd Sweep::run(ClaimFolder const& claim, HeldSignals const& signals) const {
  std::vector<std::vector<std::string>> const changes = judged_changes();
  if (signals.stopping()) return {ExitCode::stopped, "stopped by a signal before the first run began"};
  fs::path const folder = command_.output;
  for (SweptRun const& run : runs_) judge_output_folder(folder / run.folder, command_.overwrite);
  FolderClaim const& claimed = claim();
  clear_output_folder(Communicator::alone(), folder);

  SweepTable table(options_, runs_);
  std::optional<InputOutputError> unwritten;
  auto const write = [&] {
    claimed.require_there();
    try {
      write_whole_file(folder / table_name, table.csv());
      unwritten.reset();
    } catch (InputOutputError const& error) {
      // There may be space again after a later run.
      unwritten.emplace(error);
    }
  };
  write();
  bool stopped = false;
  for (std::size_t n = 0; n < runs_.size() && !stopped; ++n) {
    fs::path const own = folder / runs_[n].folder;
    if (!command_.quiet) say(fmt::format("run {} of {}: {}\n", n + 1, runs_.size(), own.string()));
    FileTime const start = FileTime::clock::now();
    CommandEnd const command =
        run_command({"--sweep: a run", words_of(runs_[n], changes[n]), [] { return true; }}, signals);
    ProcessEnd const end = end_of(command);
    if (!end.message.empty()) speak_for(own, start, end);
    table.add(read_end(own, start, end.code));
    write();
    // A signal that came too late to stop anything is ignored.
    bool const all_done = n + 1 == runs_.size() && end.code == ExitCode::done;
    stopped = !all_done && (command.asked || signals.stopping());
  }
  if (!command_.quiet) {
    say(table.text());
    say(fmt::format("sweep    {}\n", (folder / table_name).string()));
  }

  std::vector<RunEnd> const& ends = table.ends();
  std::vector<std::string> messages;
  if (stopped) {
    std::size_t const left = runs_.size() - ends.size();
    messages.push_back(
        fmt::format("stopped by a signal; {} of {} runs {} not begun", left, runs_.size(), left == 1 ? "was" : "were"));
  }
  if (std::string const failed = failures(runs_, ends); !failed.empty()) messages.push_back(failed);
  if (unwritten) messages.emplace_back(unwritten->what());
  std::string message;
  for (std::string const& each : messages) message += (message.empty() ? "" : "; ") + each;
  ExitCode code = worst(ends);
  if (unwritten) code = std::max(code, ExitCode::input_output);
  return {stopped ? ExitCode::stopped : code, message};
}

}  // namespace halocline
