#include "drivers/halocline/launch.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "drivers/halocline/mpirun.hpp"

namespace halocline {
namespace {

/// Where the rank that speaks writes its verdict: the exit code on the first line, then the message.
constexpr char const* verdict_variable = "HALOCLINE_VERDICT";
constexpr char const* columns_variable = "HALOCLINE_COLUMNS";
/// What the first rank writes there when all ranks listen to signals.
constexpr char const* listening = "listening";

/// Bytes of temporary files that mpirun and its ranks share memory by; with less it waits for ever.
constexpr std::uint64_t mpirun_needs = 16 << 20;

void print_message(std::string const& message) {
  if (!message.empty()) std::fprintf(stderr, "halocline: %s\n", message.c_str());
}

/// A file that only this process and, by the environment, its ranks know; gone with the object.
class VerdictFile {
 public:
  VerdictFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "halocline-XXXXXX").string();
    int const file = mkstemp(pattern.data());
    if (file < 0) throw InputOutputError("`" + pattern + "`: cannot be written: " + std::strerror(errno));
    close(file);
    path_ = pattern;
    setenv(verdict_variable, path_.c_str(), 1);
  }
  ~VerdictFile() {
    unsetenv(verdict_variable);
    unlink(path_.c_str());
  }
  VerdictFile(VerdictFile const&) = delete;
  VerdictFile& operator=(VerdictFile const&) = delete;

  /// Whether the ranks have come so far that signals reach them.
  [[nodiscard]] bool ranks_listen() const { return std::ifstream(path_).get() != EOF; }
  /// False if no rank has written one.
  [[nodiscard]] bool read(int& code, std::string& message) const {
    std::ifstream file(path_);
    if (!(file >> code)) return false;
    file.ignore();
    message.assign(std::istreambuf_iterator<char>(file), {});
    return true;
  }

 private:
  std::string path_;
};

/// What the ranks of one host need: nothing between hosts, no pinning to cores that others use too, no lectures.
std::vector<std::string> mpirun_command(int ranks, char** arguments) {
  std::vector<std::string> words{"mpirun", "--quiet", "--oversubscribe",    "--bind-to", "none", "--stdin",
                                 "none",   "-n",      std::to_string(ranks)};
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  for (char** word = arguments + 1; *word != nullptr; ++word) words.emplace_back(*word);
  return words;
}

void prepare_environment() {
  setenv(columns_variable, std::to_string(terminal_columns()).c_str(), 1);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self,vader", 0);
  // mpirun closes what it still waits for when it is told to end; libevent's epoll speaks of that, its poll does not.
  setenv("EVENT_NOEPOLL", "1", 0);
  if (geteuid() == 0) {  // in containers, where Open MPI's refusal helps nobody
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
}

/// The end of a run whose ranks could not speak for themselves any more.
LaunchEnd lost(int status) {
  int const signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
  if (signal <= 0 || signal >= NSIG) {
    return {ExitCode::input_output, "mpirun ended with code " + std::to_string(WEXITSTATUS(status)) +
                                        "; `mpirun -n 2 true` tells whether it works on this machine"};
  }
  return {ExitCode::stopped, "a rank was lost: killed by signal " + std::to_string(signal) + " (" + strsignal(signal) +
                                 (signal == SIGKILL ? "; from outside, or for want of memory)" : ")") +
                                 "; what is on disk is whole"};
}

LaunchEnd stopped_early() { return {ExitCode::stopped, "stopped by a signal before the run began"}; }

}  // namespace

bool launched() { return std::getenv(verdict_variable) != nullptr; }

void require_temporary_folder(int ranks) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path const folder = fs::temp_directory_path(error);
  if (!error && ranks > 1 && fs::space(folder, error).available < mpirun_needs) {
    throw InputOutputError("the folder for temporary files, " + folder.string() + ", has fewer than " +
                           std::to_string(mpirun_needs >> 20) + " MiB free; TMPDIR names another one");
  }
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (error) throw InputOutputError("TMPDIR names no folder for temporary files: " + error.message());
}

LaunchEnd launch(int ranks, char** arguments, HeldSignals const& signals) {
  if (signals.stopping()) return stopped_early();
  VerdictFile const verdict;
  prepare_environment();
  MpirunEnd const end = run_mpirun(mpirun_command(ranks, arguments), signals, [&] { return verdict.ranks_listen(); });

  // A lost rank explains what the others may have said when mpirun ended them.
  bool const whole = WIFEXITED(end.status) && WEXITSTATUS(end.status) < 128;
  int code = 0;
  std::string message;
  if (whole && verdict.read(code, message)) return {static_cast<ExitCode>(code), message};
  if (!end.stopped) return lost(end.status);
  if (!verdict.ranks_listen()) return stopped_early();
  return {ExitCode::stopped, "stopped by a second signal, before the end of a step; what is on disk is whole"};
}

int deliver(ExitCode code, std::string const& message) {
  char const* const path = std::getenv(verdict_variable);
  if (path == nullptr) {
    print_message(message);
    return static_cast<int>(code);
  }
  std::ofstream(path) << static_cast<int>(code) << '\n' << message;
  return 0;
}

int silent_end(ExitCode code) { return launched() ? 0 : static_cast<int>(code); }

void accept_passed_signals() {
  if (launched()) std::signal(passed_signal, [](int) { std::raise(SIGTERM); });
}

void report_listening() {
  if (launched()) std::ofstream(std::getenv(verdict_variable)) << listening << '\n';
}

int terminal_columns() {
  if (char const* const text = std::getenv(columns_variable)) return std::atoi(text);
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace halocline
