#include "framework/runtime/launcher.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace halocline {

namespace {

/// Variables of a launcher: number of ranks, rank.
struct Names {
  char const* size;
  char const* rank;
};
/// One may run in a shell that another has started: Slurm, which has the allocation, stands last.
constexpr std::array<Names, 7> known{{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                      {"PMI_SIZE", "PMI_RANK"},
                                      {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                      {"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
                                      {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
                                      {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
                                      {"PALS_SIZE", "PALS_RANKID"}}};
/// SLURM's own scripts have SLURM_PROCID as well; the number of tasks is of what srun starts.
constexpr Names slurm{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};

/// 0 where it is not set, or no number.
int number_of(Variables const& variables, char const* name) {
  char const* const text = variables(name);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
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
         " ranks, and nothing by which they find each other: start them by `srun --mpi=pmix` (`srun --mpi=list` tells "
         "whether this Slurm has it), or by mpirun, of " +
         mpi_name();
}

std::string obstacle_of_singletons(LauncherPlace const& place, int known_ranks) {
  if (known_ranks > 1 || place.size <= 1) return "";
  return "the launcher has started " + std::to_string(place.size) +
         " ranks, and each knows of itself alone: it is of another MPI than this program, which uses " + mpi_name() +
         "; start them by the mpirun of that, or under Slurm by `srun --mpi=pmix`";
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

}  // namespace halocline
