#include "framework/runtime/launcher.hpp"

#include <mpi.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace halocline {

namespace {

/// A launcher's variables for the number of ranks and the rank.
struct Names {
  char const* size;
  char const* rank;
};
/// Launchers may be nested: Slurm, which owns the allocation, is last.
constexpr std::array<Names, 7> known{{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                      {"PMI_SIZE", "PMI_RANK"},
                                      {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                      {"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
                                      {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
                                      {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
                                      {"PALS_SIZE", "PALS_RANKID"}}};
/// SLURM_PROCID also exists in Slurm's batch scripts; the number of tasks only in what srun starts.
constexpr Names slurm{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};

/// 0 if it is not set or not a number.
int number_of(Variables const& variables, char const* name) {
  char const* const text = variables(name);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

namespace fs = std::filesystem;

/// The two known kinds of mpirun take different options. Their file name is one of `files` or ends in `ending`.
struct LauncherKind {
  std::array<char const*, 3> files;  ///< names to which a distribution's links resolve
  char const* ending;
  std::array<char const*, 2> names;  ///< alternatives if `mpirun` belongs to another MPI
};
[[maybe_unused]] constexpr LauncherKind open_mpi{
    {"orterun", "prterun", "prun"}, ".openmpi", {"mpirun.openmpi", "orterun"}};
[[maybe_unused]] constexpr LauncherKind hydra{
    {"mpiexec.hydra", "hydra", "mpiexec.gforker"}, ".mpich", {"mpirun.mpich", "mpiexec.hydra"}};
#ifdef OPEN_MPI
constexpr LauncherKind const& own = open_mpi;
constexpr LauncherKind const& other = hydra;
#else
constexpr LauncherKind const& own = hydra;
constexpr LauncherKind const& other = open_mpi;
#endif

bool is_of(LauncherKind const& kind, fs::path const& program) {
  std::error_code none;
  std::string const name = fs::canonical(program, none).filename().string();
  return name.ends_with(kind.ending) || std::find(kind.files.begin(), kind.files.end(), name) != kind.files.end();
}

/// The program that a shell finds for this name; empty if there is none.
fs::path on_path(std::string const& name, std::string const& path) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code none;
    if (fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

LauncherPlace place_by(Variables const& variables, Names const& names) {
  return {number_of(variables, names.rank), number_of(variables, names.size)};
}

}  // namespace

std::optional<LauncherPlace> launcher_place(Variables const& variables) {
  auto const is_set = [&](char const* name) { return variables(name) != nullptr; };
  auto const names = std::find_if(known.begin(), known.end(),
                                  [&](Names const& each) { return is_set(each.size) || is_set(each.rank); });
  if (names != known.end()) return place_by(variables, *names);
  LauncherPlace place = place_by(variables, slurm);
  if (is_set("PMIX_RANK")) {
    if (place.size == 0) place.rank = number_of(variables, "PMIX_RANK");
    return place;
  }
  place.slurm = true;
  return place.size > 1 ? std::optional(place) : std::nullopt;
}

std::string obstacle_before_mpi(LauncherPlace const& place) {
  if (!place.slurm) return "";
  return "srun has started " + std::to_string(place.size) +
         " ranks without a way to connect them: start them with `srun --mpi=pmix` (`srun --mpi=list` shows whether "
         "this Slurm has it), or with the mpirun of " +
         mpi_name();
}

std::string obstacle_of_singletons(LauncherPlace const& place, int known_ranks) {
  if (known_ranks > 1 || place.size <= 1) return "";
  return "the launcher has started " + std::to_string(place.size) +
         " ranks, but each sees only itself: the launcher belongs to another MPI than that of this program, " +
         mpi_name() + "; start them with the mpirun of that MPI, or under Slurm with `srun --mpi=pmix`";
}

int nodes_of_job(Variables const& variables) {
  return std::max({1, number_of(variables, "SLURM_JOB_NUM_NODES"), number_of(variables, "PBS_NUM_NODES")});
}

std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string whole(text.data(), static_cast<std::size_t>(length));
  whole = whole.substr(0, whole.find_first_of(",\n"));
  std::replace(whole.begin(), whole.end(), '\t', ' ');
  return whole;
}

std::string mpirun_program(std::string const& path) {
  std::string usual = "mpirun";
  fs::path const first = on_path(usual, path);
  if (first.empty() || !is_of(other, first)) return usual;
  for (char const* const name : own.names) {
    if (!on_path(name, path).empty()) return name;
  }
  return access(HALOCLINE_MPIEXEC, X_OK) == 0 ? HALOCLINE_MPIEXEC : usual;
}

std::string mpirun_program() {
  char const* const path = std::getenv("PATH");
  return mpirun_program(path == nullptr ? "" : path);
}

std::vector<std::string> mpirun_words(int ranks) {
#ifdef OPEN_MPI
  return {mpirun_program(), "--quiet", "--oversubscribe",    "--bind-to", "none", "--stdin",
          "none",           "-n",      std::to_string(ranks)};
#else
  // Starts processes on this host alone, even inside a batch job.
  return {mpirun_program(), "-launcher", "fork", "-rmk", "user", "-n", std::to_string(ranks)};
#endif
}

int signal_of_lost_rank(int code) {
#ifdef OPEN_MPI
  return std::max(0, code - 128);
#else
  // The code is the signal number itself: ranks started by --ranks exit with 0.
  return code > 1 && code < 64 ? code : 0;
#endif
}

}  // namespace halocline
