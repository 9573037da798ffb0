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
#include <optional>
#include <sstream>
#include <utility>

#include "drivers/halocline/child_command.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "drivers/halocline/sweep_table.hpp"
#include "drivers/halocline/sweep_validator.hpp"
#include "drivers/halocline/wall_limit.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/run_record.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr char const* table_name = "sweep.csv";
constexpr std::size_t most_named = 5;  ///< runs in a message
constexpr double shortest_run = 1;     ///< seconds; a run needs about as long to begin and to stop

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
  std::fprintf(stderr, "halocline: %s: %s\n", shown(folder.string()).c_str(), shown_lines(message).c_str());
}

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

/// Whether a run stopped by itself at its limit, according to its summary.
bool has_stopped_at(WallLimit const& limit, RunEnd const& end) {
  return limit.seconds_left() && end.code == ExitCode::stopped && end.message.starts_with("stopped " + limit.text());
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
      validated_(memfd_create("halocline", MFD_CLOEXEC)) {}

ExitCode Sweep::validate() const {
  std::string validated;
  for (std::vector<std::string> const& changes : changes_of_sweep(command_, ranks_, options_, runs_)) {
    for (std::string const& change : changes) validated += change + '\0';
  }
  if (!write_all(validated_.number(), validated)) throw InputOutputError("--sweep: cannot create a file in memory");
  return ExitCode::done;
}

std::vector<std::vector<std::string>> Sweep::validated_changes() const {
  std::string text;
  std::array<char, 1 << 14> part{};
  // The validating process has moved the file position to the end.
  lseek(validated_.number(), 0, SEEK_SET);
  for (ssize_t count = 0; (count = read(validated_.number(), part.data(), part.size())) > 0;)
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

std::vector<std::string> Sweep::words_of(SweptRun const& run, std::vector<std::string> const& changes,
                                         double seconds_left) const {
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
  if (command_.wall_limit > 0) add("--wall-limit", shortest_text(seconds_left));
  add("--output", as_pattern((fs::path(command_.output) / run.folder).string()));
  for (auto const& [given, flag] : {std::pair(command_.overwrite, "--overwrite"), std::pair(command_.plot, "--plot"),
                                    std::pair(command_.trace, "--trace"), std::pair(command_.verbose, "--verbose"),
                                    std::pair(command_.quiet, "--quiet")}) {
    if (given) words.emplace_back(flag);
  }
  return words;
}

SweepEnd Sweep::run(ClaimFolder const& claim, HeldSignals const& signals) const {
  std::vector<std::vector<std::string>> const changes = validated_changes();
  if (signals.stopping()) return {ExitCode::stopped, "stopped by a signal before the first run began"};
  fs::path const folder = command_.output;
  for (SweptRun const& run : runs_) validate_output_folder(folder / run.folder, command_.overwrite);
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
  char const* const end_of_job = std::getenv("SLURM_JOB_END_TIME");
  WallLimit const limit(command_.wall_limit, start_, end_of_job);
  std::string stopped;  // why; empty: it is not
  for (std::size_t n = 0; n < runs_.size() && stopped.empty(); ++n) {
    if (limit.is_near(shortest_run)) {
      stopped = "stopped " + limit.text();
      break;
    }
    fs::path const own = folder / runs_[n].folder;
    if (!command_.quiet) say(fmt::format("run {} of {}: {}\n", n + 1, runs_.size(), own.string()));
    FileTime const start = FileTime::clock::now();
    double const left = limit.seconds_left().value_or(command_.wall_limit);
    WallLimit const limit_of_run(command_.wall_limit > 0 ? left : 0, WallLimit::Clock::now(), end_of_job);
    CommandEnd const command =
        run_command({"--sweep: a run", words_of(runs_[n], changes[n], left), [] { return true; }}, signals);
    ProcessEnd const end = end_of(command);
    if (!end.message.empty()) speak_for(own, start, end);
    table.add(read_end(own, start, end.code));
    write();
    // A signal that came too late to stop anything is ignored.
    bool const all_done = n + 1 == runs_.size() && end.code == ExitCode::done;
    if (!all_done && (command.asked || signals.stopping())) {
      stopped = "stopped by a signal";
    } else if (has_stopped_at(limit_of_run, table.ends().back())) {
      // A run stops earlier the longer its steps are: the next one could not use the time that is left.
      stopped = "stopped " + limit.text();
    }
  }
  if (!command_.quiet) {
    say(table.text());
    say(fmt::format("sweep    {}\n", (folder / table_name).string()));
  }

  std::vector<RunEnd> const& ends = table.ends();
  std::vector<std::string> messages;
  if (!stopped.empty()) {
    std::size_t const left = runs_.size() - ends.size();
    messages.push_back(stopped);
    if (left > 0)
      messages.push_back(fmt::format("{} of {} runs {} not begun", left, runs_.size(), left == 1 ? "was" : "were"));
  }
  if (std::string const failed = failures(runs_, ends); !failed.empty()) messages.push_back(failed);
  if (unwritten) messages.emplace_back(unwritten->what());
  std::string message;
  for (std::string const& each : messages) message += (message.empty() ? "" : "; ") + each;
  ExitCode code = worst(ends);
  if (unwritten) code = std::max(code, ExitCode::input_output);
  return {stopped.empty() ? code : ExitCode::stopped, message};
}

}  // namespace halocline
