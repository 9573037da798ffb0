#include "drivers/halocline/plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "framework/runtime/error.hpp"

extern char** environ;

namespace halocline {
namespace {

/// In a build tree and in an install tree alike.
std::filesystem::path script() {
  auto const program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "halocline" / "plot.py";
}

}  // namespace

void draw_plots(std::filesystem::path const& folder, bool quiet) {
  // The system's own interpreter: another one on PATH need not have matplotlib and h5py.
  std::string python = "/usr/bin/python3";
  std::string file = script().string();
  std::string target = folder.string();
  std::array<char*, 4> arguments{python.data(), file.data(), target.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (quiet) posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  int const error = posix_spawn(&process, python.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw InputOutputError("--plot: " + python + " cannot be started: " + std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw InputOutputError("--plot: plot.py failed; `" + python + " " + file + " " + target + "` draws later");
  }
}

}  // namespace halocline
