#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drivers/halocline/child_command.hpp"
#include "drivers/halocline/command_line.hpp"
#include "drivers/halocline/job.hpp"
#include "drivers/halocline/launch.hpp"
#include "drivers/halocline/plot.hpp"
#include "drivers/halocline/same_ranks.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "drivers/halocline/sweep.hpp"
#include "framework/io/output_folder.hpp"
#include "framework/io/run_record.hpp"
#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_contact.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/stop.hpp"

namespace halocline {
namespace {

std::string report_defect(std::string const& message) {
  return message + "\nThis is a defect of Halocline: please report it, with the deck and this message.";
}

int deliver_failure(Failure const& failure) {
  return deliver(failure.code, failure.code == ExitCode::defect ? report_defect(failure.message) : failure.message);
}

/// The message of a run for the user.
std::string spoken(Verdict const& verdict) {
  if (verdict.message.empty()) return "";
  // If all ranks fail alike, rank 0 is the first of them.
  std::string const message =
      (verdict.origin > 0 ? "rank " + std::to_string(verdict.origin) + ": " : std::string()) + verdict.message;
  return verdict.code == ExitCode::defect ? report_defect(message) : message;
}

/// Some rank no longer responds: only MPI_Abort ends all of them.
[[noreturn]] void abort_all(Verdict const& verdict) {
  deliver(verdict.code, spoken(verdict));
  expect_exit();
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(verdict.code));
  std::abort();
}

/// Under a user's launcher, --ranks must agree with the ranks that it started.
void require_ranks(int wanted, int started) {
  if (wanted == 0 || wanted == started) return;
  throw InputError("--ranks " + std::to_string(wanted) + ", but the launcher has started " + std::to_string(started) +
                   "; omit --ranks");
}

/// The exit code for main, and whether this rank reports.
struct RankEnd {
  int code = 0;
  bool speaks = true;
};

/// Why ranks that a launcher has started as one run know only `known` ranks; empty if they know all.
std::string obstacle_among(std::optional<LauncherPlace> const& place, int known) {
  if (Job const* const job = joined_job(); job != nullptr && job->ranks != known) {
    return "--ranks: each rank sees only itself: the mpirun on PATH belongs to another MPI than that of this "
           "program, " +
           mpi_name() + "; put the mpirun of that MPI first";
  }
  return place ? obstacle_of_singletons(*place, known) : "";
}

/// The end of ranks that cannot form a run: the first of them reports why.
RankEnd refused(std::string const& obstacle, std::optional<LauncherPlace> const& place,
                ExitCode code = ExitCode::wrong_input) {
  if (place && place->rank > 0 && !launched()) return {silent_end(code), false};
  return {deliver(code, obstacle), true};
}

/// Ranks of --ranks run on one machine, even if the job has more nodes.
void warn_of_idle_nodes(int ranks) {
  int const nodes = nodes_of_job();
  if (!launched() || nodes == 1) return;
  log_warning("--ranks " + std::to_string(ranks) + " runs on this machine only, but the job has " +
              std::to_string(nodes) +
              " nodes; `srun --mpi=pmix halocline run` or `mpirun halocline run` uses all of them");
}

/// On destruction, when all work and output is done, ignores further stop signals.
struct IgnoreSignalsAtEnd {
  IgnoreSignalsAtEnd() = default;
  ~IgnoreSignalsAtEnd() {
    for (int const signal : stopping_signals) std::signal(signal, SIG_IGN);
  }
  IgnoreSignalsAtEnd(IgnoreSignalsAtEnd const&) = delete;
  IgnoreSignalsAtEnd& operator=(IgnoreSignalsAtEnd const&) = delete;
};

RankEnd run_ranks(CommandLine const& line) {
  IgnoreSignalsAtEnd const ignore_signals;
  // A run stops at a step. Other commands have no steps, and ranks that wait for each other in MPI_Init do not reach
  // one if a rank was killed before: until then a signal ends the program at once.
  std::optional<StopSignals> stops_at_step;
  std::optional<EndingSignals> ends_at_once(std::in_place);
  std::optional<LauncherPlace> const place = launcher_place();
  if (std::string const obstacle = place ? obstacle_before_mpi(*place) : ""; !obstacle.empty()) {
    return refused(obstacle, place);
  }
  if (place && place->size > 1) {
    if (std::string const obstacle = obstacle_of_file_size("ranks of one machine"); !obstacle.empty()) {
      return refused(obstacle, place, ExitCode::input_output);
    }
  }
  double start_seconds = 0;
  try {
    start_seconds = first_contact_limit();
  } catch (InputError const& error) {
    return refused(error.what(), place);
  }
  // Kokkos starts later, since a deck may choose its devices.
  Environment environment({.kokkos = false});
  if (std::string const obstacle = obstacle_to_first_contact(MPI_COMM_WORLD, start_seconds); !obstacle.empty()) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // If no rank can contact any other, the first one reports for all.
    if (rank > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    abort_all({.code = ExitCode::input_output, .origin = rank, .message = obstacle});
  }
  auto const communicator = std::make_shared<Communicator>(MPI_COMM_WORLD);
  if (!line.folder.empty()) {
    HeldSignals const meanwhile;
    ends_at_once.reset();
    stops_at_step.emplace();
  }
  if (std::string const obstacle = obstacle_among(place, communicator->size()); !obstacle.empty()) {
    return refused(obstacle, place);
  }
  set_rank_of_abrupt_end(communicator->size() > 1 ? communicator->rank() : -1);
  if (communicator->rank() == 0) report_listening();
  Log const log(*communicator, {.level = line.verbose ? LogLevel::debug
                                         : line.quiet ? LogLevel::error
                                                      : LogLevel::info});
  warn_of_idle_nodes(line.ranks);
  auto const command = [&] {
    require_same_command(*communicator, line.typed);
    require_ranks(line.ranks, communicator->size());
    ExitCode const code = line.command(environment, communicator);
    require_said();
    return code;
  };
  Verdict const verdict = run_guarded(*communicator, command, {.abort = abort_all});
  // A launcher kills all ranks once the first has exited with an error, which is after MPI_Finalize.
  if (verdict.code != ExitCode::done && line.release) line.release();
  if (communicator->rank() == 0) return {deliver(verdict.code, spoken(verdict)), true};
  return {silent_end(verdict.code), false};
}

/// Commands that only report something run in one process: the first one of those that a launcher has started.
int run_without_ranks(CommandLine const& line) {
  if (auto const place = launcher_place(); place && place->rank > 0) return 0;
  EndingSignals const signals;
  Communicator const alone = Communicator::alone();
  // When a run is validated, its warnings are left to the run.
  Log const log(alone, {.level = line.command ? LogLevel::error : LogLevel::warning});
  auto const work = [&] {
    ExitCode const code = line.without_ranks();
    require_said();
    return code;
  };
  Verdict const verdict = run_guarded(alone, work);
  return deliver(verdict.code, spoken(verdict));
}

/// Validates the deck in a separate process, which a plugin may crash. Returns its exit code; also 0 if it was killed,
/// since the ranks validate again.
int validate_in_a_child(CommandLine const& line, HeldSignals const& signals) {
  pid_t const child = fork();
  if (child < 0) return 0;
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
    _exit(run_without_ranks(line));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/// Runs on newly started ranks, and completes the record of a run that could not do so itself.
int launch_ranks(CommandLine const& line, std::vector<std::string> const& words) {
  HeldSignals const signals;
  if (int const code = validate_in_a_child(line, signals); code != 0) return code;
  line.claim().leave_to_ranks();
  auto const start = std::filesystem::file_time_type::clock::now();
  LaunchEnd const end = launch(line.ranks, words, signals);
  std::string message = end.message;
  try {
    if (!line.folder.empty()) close_summary(line.folder, start, end.code, end.message);
  } catch (InputOutputError const& error) {
    message += std::string("; and the record could not be completed: ") + error.what();
  }
  if (end.code == ExitCode::done) require_said();
  return deliver(end.code, message);
}

/// Runs of a sweep, one after the other.
int run_sweep(CommandLine const& line) {
  if (auto const place = launcher_place()) {
    return refused(
               "--sweep starts its runs itself, but a launcher has started this program; omit the launcher and set the "
               "ranks of each run with --ranks N",
               place)
        .code;
  }
  HeldSignals const signals;
  if (int const code = validate_in_a_child(line, signals); code != 0) return code;
  SweepEnd const end = line.sweep->run(line.claim, signals);
  if (end.code == ExitCode::done) require_said();
  return deliver(end.code, end.message);
}

/// The words that the user typed; a launched rank gets them from the process that launched it.
std::vector<std::string> command_words(int count, char** arguments) {
  std::vector<std::string> words(arguments, arguments + count);
  if (words.empty()) words.emplace_back("halocline");
  if (count != 3 || words[1] != rank_option) return words;
  join_job(words[2]);
  return joined_job()->words;
}

int run_program(std::vector<std::string> const& words) {
  CommandLine const line = read_command_line(words);
  if (!line.command && line.without_ranks) return run_without_ranks(line);
  if (!line.command) {
    if (line.code != ExitCode::done) return deliver(line.code, line.text);
    say(line.text);
    require_said();
    return 0;
  }
  if (line.sweep) return run_sweep(line);
  bool const launches = line.ranks > 1 && !launched() && !under_launcher();
  if (launches) require_temporary_folder();
  RankEnd const end = launches ? RankEnd{launch_ranks(line, words)} : run_ranks(line);
  // Plots are made after the ranks have ended, by the process that the user started or by the first rank.
  if (line.plot && end.code == 0 && end.speaks && !launched()) draw_plots(line.folder, line.quiet);
  return end.code;
}

}  // namespace
}  // namespace halocline

int main(int count, char** arguments) {
  using namespace halocline;
  hold_standard_streams();
  // A reader of the output may exit before the end, as in `| head`, without ending the run.
  std::signal(SIGPIPE, SIG_IGN);
  // Exceeding the file size limit of the shell becomes an ordinary error of this program, MPI or any other library.
  std::signal(SIGXFSZ, SIG_IGN);
  AbruptEnds const ends;
  try {
    return run_program(command_words(count, arguments));
  } catch (...) {
    return deliver_failure(describe(std::current_exception()));
  }
}
