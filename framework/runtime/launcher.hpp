#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halocline {

/// This process among those that a launcher (mpirun, srun, …) has started together, by the variables that it sets:
/// known before MPI starts, and without it.
struct LauncherPlace {
  int rank = 0;
  int size = 0;        ///< 0: the launcher does not tell
  bool slurm = false;  ///< Slurm's srun alone: nothing of what lets ranks find each other (PMIx, PMI) is there

  friend bool operator==(LauncherPlace const&, LauncherPlace const&) = default;
};

/// The value of a variable of the environment, null where it is not set.
using Variables = std::function<char const*(char const*)>;
[[nodiscard]] inline char const* variable_of_environment(char const* name) { return std::getenv(name); }

/// Nothing where no launcher has started this process: a single one in a step of Slurm's (a shell there) is none of
/// its.
[[nodiscard]] std::optional<LauncherPlace> launcher_place(Variables const& variables = variable_of_environment);

/// Whether mpirun, srun or another launcher started this process as one of its ranks.
[[nodiscard]] inline bool under_launcher() { return launcher_place().has_value(); }

/// Why MPI cannot start among the ranks of this launcher, and what to do; empty: it may.
[[nodiscard]] std::string obstacle_before_mpi(LauncherPlace const& place);
/// Why the ranks that MPI knows of, `known`, are not those of the launcher, and what to do; empty: they are.
[[nodiscard]] std::string obstacle_of_singletons(LauncherPlace const& place, int known);
/// Nodes of the job of a batch system around this process; 1 where there is none, or it does not tell.
[[nodiscard]] int nodes_of_job(Variables const& variables = variable_of_environment);
/// "Open MPI v4.1.4": what this program uses.
[[nodiscard]] std::string mpi_name();

/// The mpirun of this program's MPI: `mpirun`, unless it is plain that the one on PATH is of another MPI; then one with
/// this MPI's name on PATH, or the one that the program was built with, if they are there.
/// \param path the folders to look into, with colons between
[[nodiscard]] std::string mpirun_program(std::string const& path);
[[nodiscard]] std::string mpirun_program();
/// Words of that mpirun for `ranks` ranks of this host, up to the program: nothing between hosts, no pinning to cores
/// that others use too, no lectures.
[[nodiscard]] std::vector<std::string> mpirun_words(int ranks);
/// The signal that has ended a rank, by the exit code of that mpirun; 0: none has. The ranks' own codes are 0.
[[nodiscard]] int signal_of_lost_rank(int code);

}  // namespace halocline
