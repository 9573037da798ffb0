#include "drivers/halocline/launch.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern char** environ;

namespace halocline {
namespace {

/// Where the rank that speaks writes its verdict: the exit code on the first line, then the message.
constexpr char const* verdict_variable = "HALOCLINE_VERDICT";
constexpr char const* columns_variable = "HALOCLINE_COLUMNS";
/// mpirun passes this one on to the ranks and lives on; any that would end it, it answers by killing them.
constexpr int passed_signal = SIGUSR1;

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
  if (geteuid() == 0) {  // in containers, where Open MPI's refusal helps nobody
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
}

/// Starts mpirun in a process group of its own, so that Ctrl-C reaches this process alone.
pid_t start(std::vector<std::string> words, sigset_t const& mask) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t process = 0;
  int const error = posix_spawnp(&process, "mpirun", &files, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw InputError(std::string("--ranks: mpirun cannot be started: ") + std::strerror(error));
  return process;
}

/// Waits for `process`; the first signal to this one is passed on, a second one ends it. Returns the wait status.
int wait_and_pass_signals(pid_t process, sigset_t const& watched) {
  int passed = 0;
  for (;;) {
    int status = 0;
    pid_t const ended = waitpid(process, &status, WNOHANG);
    if (ended == process || (ended < 0 && errno == ECHILD)) return status;
    int signal = 0;
    if (sigwait(&watched, &signal) != 0 || signal == SIGCHLD) continue;
    kill(process, passed++ == 0 ? passed_signal : SIGTERM);
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

}  // namespace

bool launched() { return std::getenv(verdict_variable) != nullptr; }

LaunchEnd launch(int ranks, char** arguments) {
  VerdictFile const verdict;
  prepare_environment();
  // Whoever started this process may ignore it: then no end of a child is ever told, neither here nor in mpirun.
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t watched;
  sigset_t before;
  sigemptyset(&watched);
  for (int const signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before);
  int const status = wait_and_pass_signals(start(mpirun_command(ranks, arguments), before), watched);
  sigprocmask(SIG_SETMASK, &before, nullptr);

  // A lost rank explains what the others may have said when mpirun ended them.
  bool const whole = WIFEXITED(status) && WEXITSTATUS(status) < 128;
  int code = 0;
  std::string message;
  if (!whole || !verdict.read(code, message)) return lost(status);
  return {static_cast<ExitCode>(code), message};
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

int terminal_columns() {
  if (char const* const text = std::getenv(columns_variable)) return std::atoi(text);
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace halocline
