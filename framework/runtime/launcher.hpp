#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halocline {

/// This process among those that a launcher (mpirun, srun, …) has started together, read from the launcher's
/// environment variables: available before MPI starts and without MPI.
struct LauncherPlace {
  int rank = 0;
  int size = 0;        ///< 0: unknown
  bool slurm = false;  ///< started by Slurm's srun alone: nothing by which ranks find each other (PMIx, PMI) is present

  friend bool operator==(LauncherPlace const&, LauncherPlace const&) = default;
};

/// The value of an environment variable, null if it is not set.
using Variables = std::function<char const*(char const*)>;
[[nodiscard]] inline char const* variable_of_environment(char const* name) { return std::getenv(name); }

/// Nothing if no launcher has started this process. A single process in a Slurm step (such as a shell) does not count
/// as launched.
[[nodiscard]] std::optional<LauncherPlace> launcher_place(Variables const& variables = variable_of_environment);

/// Whether mpirun, srun or another launcher started this process as one of its ranks.
[[nodiscard]] inline bool under_launcher() { return launcher_place().has_value(); }

/// The reason why MPI cannot start among this launcher's ranks, and what to do; empty: none.
[[nodiscard]] std::string obstacle_before_mpi(LauncherPlace const& place);
/// The reason why MPI sees `known` ranks instead of the launcher's, and what to do; empty: the numbers agree.
[[nodiscard]] std::string obstacle_of_singletons(LauncherPlace const& place, int known);
/// Nodes of the batch job of this process; 1 without one, or if unknown.
[[nodiscard]] int nodes_of_job(Variables const& variables = variable_of_environment);
/// The MPI library of this program: "Open MPI v4.1.4".
[[nodiscard]] std::string mpi_name();

/// The mpirun of this program's MPI. It is `mpirun`, unless the one on PATH clearly belongs to another MPI; then one
/// with this MPI's name on PATH, or the one that the program was built with, if they exist.
/// \param path the folders to search, separated by colons
[[nodiscard]] std::string mpirun_program(std::string const& path);
[[nodiscard]] std::string mpirun_program();
/// Arguments of that mpirun for `ranks` ranks on this host, up to the program: no use of other hosts, no pinning to
/// cores, no warnings.
[[nodiscard]] std::vector<std::string> mpirun_words(int ranks);
/// The signal that ended a rank, from the exit code of that mpirun; 0: none. The ranks' own exit codes are 0.
[[nodiscard]] int signal_of_lost_rank(int code);

}  // namespace halocline
