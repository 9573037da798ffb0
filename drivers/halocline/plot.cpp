#include "drivers/halocline/plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/validation.hpp"
#include "framework/runtime/error.hpp"

extern char** environ;

namespace halocline {
namespace {

/// Its path is the same in a build tree and in an installation.
std::filesystem::path script() {
  auto const program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "halocline" / "plot.py";
}

/// Another Python on PATH need not have matplotlib and h5py.
constexpr char const* python_of_the_system = "/usr/bin/python3";

std::vector<std::string> names_in(std::string const& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    std::size_t const first = word.find_first_not_of(' ');
    names.push_back(first == std::string::npos ? "" : word.substr(first, word.find_last_not_of(' ') + 1 - first));
  }
  return names;
}

}  // namespace

Section plot_section() {
  Section plot("plot", "How `--plot` draws fields: slices of the last state and an animation of the snapshots.");
  plot.choice("scale", "Colour scale; values that are not positive stay blank on a logarithmic one.",
              std::vector<std::string>{"linear", "log"})
      .defaults_to(std::string("linear"));
  plot.reals("range",
             "Values at the two ends of the colour scale; if not given, the smallest and the largest value shown.", 2,
             2)
      .optional();
  plot.text("fields", "Names of the fields to draw, separated by commas; if not given, all that are not constant.")
      .optional();
  plot.check([](Options const& options, Mistakes& mistakes) {
    if (!options.has("range")) return;
    std::vector<double> const range = options.reals("range");
    if (!(range[0] < range[1])) add_mistake(options, "range", "the second value must be larger", mistakes);
    bool const logarithmic = options.choice("scale") == "log";
    if (logarithmic && range[0] <= 0)
      add_mistake(options, "range", "a logarithmic scale needs positive values", mistakes);
  });
  return plot;
}

void require_plotted_fields(Options const& plot, std::span<FieldBase const* const> fields) {
  std::vector<std::string> known;
  for (FieldBase const* const field : fields) {
    if (!field->description().position) known.push_back(field->name());
  }
  for (std::string const& name : names_in(plot.text("fields"))) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InputError("`plot.fields`: the run has no field `" + deck::printable(name) + "`; " + advice_for(name, known) +
                     " (" + plot.location("fields").text() + ")");
  }
}

void draw_plots(std::filesystem::path const& folder, bool quiet) {
  char const* const chosen = std::getenv("HALOCLINE_PYTHON");
  std::string python = chosen == nullptr || *chosen == 0 ? python_of_the_system : chosen;
  std::string file = script().string();
  std::string target = folder.string();
  std::array<char*, 4> arguments{python.data(), file.data(), target.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (quiet) posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  int const error = posix_spawnp(&process, python.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    throw InputOutputError("--plot: " + python + " cannot be started: " + std::strerror(error) +
                           (chosen == nullptr ? "; HALOCLINE_PYTHON chooses another one" : ""));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw InputOutputError("--plot: plot.py failed; `" + python + " " + file + " " + target + "` tries again");
  }
}

}  // namespace halocline
