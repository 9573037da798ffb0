#include "drivers/halocline/launch.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "drivers/halocline/child_command.hpp"
#include "drivers/halocline/job.hpp"
#include "framework/runtime/first_contact.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

/// Bytes of temporary files that mpirun and its ranks use for shared memory; with less space it hangs.
constexpr std::uint64_t mpirun_needs = 16 << 20;
/// Bytes of the largest of these files.
constexpr rlim_t file_needs = 8 << 20;

void print_message(std::string const& message) {
  if (!message.empty()) std::fprintf(stderr, "halocline: %s\n", shown_lines(message).c_str());
}

/// Contains no word of the user, since mpirun would interpret some: a `:` begins another program.
std::vector<std::string> mpirun_command(int ranks, std::filesystem::path const& job) {
  std::vector<std::string> words = mpirun_words(ranks);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.insert(words.end(), {rank_option, job.string()});
  return words;
}

void prepare_environment(std::filesystem::path const& job) {
  // Jobs that share a folder for MPI's sessions delete it while others use it.
  setenv("OMPI_MCA_orte_tmpdir_base", job.c_str(), 0);
  // The ranks run on this machine, whatever nodes a batch system has assigned to the job.
  setenv("OMPI_MCA_plm", "isolated", 0);
  setenv("OMPI_MCA_ras", "^slurm,gridengine,tm,lsf,alps,loadleveler", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self,vader", 0);
  // By its plugins hwloc loads drivers of devices into mpirun; NVIDIA's for OpenCL handles SIGUSR1 there, and the ranks
  // never get it.
  setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
  // When mpirun is ended it closes descriptors that it still polls; libevent's epoll backend prints a warning, poll
  // does not.
  setenv("EVENT_NOEPOLL", "1", 0);
  if (geteuid() == 0) {  // in containers, where Open MPI's refusal is of no use
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
}

/// The end of a run whose ranks can no longer report.
LaunchEnd lost(int status) {
  int const signal = WIFSIGNALED(status) ? WTERMSIG(status) : signal_of_lost_rank(WEXITSTATUS(status));
  if (signal <= 0 || signal >= NSIG) {
    return {ExitCode::input_output, "mpirun ended with code " + std::to_string(WEXITSTATUS(status)) +
                                        "; `mpirun -n 2 true` shows whether it works on this machine"};
  }
  return {ExitCode::stopped, "a rank was lost: killed by signal " + std::to_string(signal) + " (" + strsignal(signal) +
                                 (signal == SIGKILL ? "; by another process, or out of memory)" : ")") +
                                 "; files on disk are intact"};
}

LaunchEnd stopped_early() { return {ExitCode::stopped, "stopped by a signal before the run began"}; }

}  // namespace

bool launched() { return joined_job() != nullptr; }

std::string obstacle_of_file_size(std::string const& who) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= file_needs)
    return "";
  return who + ": files are limited to " + std::to_string(limit.rlim_cur >> 10) +
         " KiB (ulimit -f), but ranks share memory through files of up to " + std::to_string(file_needs >> 10) + " KiB";
}

void require_temporary_folder() {
  if (std::string const obstacle = obstacle_of_file_size("--ranks"); !obstacle.empty())
    throw InputOutputError(obstacle);
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path const folder = fs::temp_directory_path(error);
  if (!error && fs::space(folder, error).available < mpirun_needs) {
    throw InputOutputError("the folder for temporary files, " + folder.string() + ", has fewer than " +
                           std::to_string(mpirun_needs >> 20) + " MiB free; set TMPDIR to another one");
  }
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (error) throw InputOutputError("TMPDIR is not a usable folder for temporary files: " + error.message());
}

LaunchEnd launch(int ranks, std::vector<std::string> const& words, HeldSignals const& signals) {
  if (signals.stopping()) return stopped_early();
  JobFolder const job({.ranks = ranks, .columns = terminal_columns(), .words = words});
  prepare_environment(job.path());
  // Ranks end by themselves if they do not contact each other in time; this limit is for an mpirun that starts no
  // ranks.
  double const start = first_contact_limit() + 2;
  CommandEnd const end = run_command({"--ranks: mpirun", mpirun_command(ranks, job.path()),
                                      [&] { return job.ranks_listen(); }, signal_through_mpirun, start},
                                     signals);

  if (std::optional<JobEnd> const told = job.abrupt_end()) return {told->code, told->message};
  // If a rank was lost, what other ranks reported when mpirun ended them is not the cause.
  bool const whole = WIFEXITED(end.status) && signal_of_lost_rank(WEXITSTATUS(end.status)) == 0;
  // A finished run counts as finished: a later signal reached ranks that were about to end.
  if (std::optional<JobEnd> const told = job.end(); told && (whole || told->code == ExitCode::done))
    return {told->code, told->message};
  if (end.late) {
    return {ExitCode::input_output,
            fmt::format("mpirun has started no ranks within {:g} s; `mpirun -n 2 true` shows whether it works on this "
                        "machine, and HALOCLINE_START_SECONDS sets a longer limit",
                        start)};
  }
  if (!end.ended) return lost(end.status);
  if (!job.ranks_listen()) return stopped_early();
  return {ExitCode::stopped, "stopped by a second signal, before the end of a step; files on disk are intact"};
}

int deliver(ExitCode code, std::string const& message) {
  try {
    if (launched()) return write_end({code, message}), 0;
  } catch (InputOutputError const& error) {
    print_message(error.what());
  }
  print_message(message);
  return static_cast<int>(code);
}

int silent_end(ExitCode code) { return launched() ? 0 : static_cast<int>(code); }

void report_listening() {
  if (launched()) write_listening();
}

bool is_watched() { return launched() || !under_launcher(); }

int terminal_columns() {
  if (Job const* const job = joined_job()) return job->columns;
  if (!is_watched()) return 0;
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace halocline
