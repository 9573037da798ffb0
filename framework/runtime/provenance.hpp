#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/launcher.hpp"

namespace halocline {

/// How this Halocline was built.
struct BuildFacts {
  std::string compiler;         ///< "GNU 12.2.0"
  std::string device_compiler;  ///< "NVIDIA 13.0.48, for 90"; empty where one compiler does both
  std::string flags;            ///< of the host's code
  std::string kokkos;           ///< version
  std::string kokkos_options;   ///< "OPENMP SERIAL …": its backends, architectures and options
};
[[nodiscard]] BuildFacts build_facts();

/// Where a rank runs.
struct RankPlace {
  std::string node;   ///< name of its machine
  std::string cores;  ///< logical ones that its threads may run on: "0-3,8"
  int threads = 0;
};
/// Of all ranks, in their order: known to the first of the ranks that started Kokkos together; empty elsewhere.
[[nodiscard]] std::vector<RankPlace> const& rank_places();
/// Collective, once Kokkos runs: keeps what rank_places() tells.
void remember_rank_places(MPI_Comm ranks);

/// The job of a batch system that this process is a part of.
struct BatchJob {
  std::string system;  ///< "Slurm", "PBS", "LSF", "Flux"
  std::string id;
  std::string name;  ///< empty where it has none
  std::string task;  ///< of an array of jobs; empty of any other
};
[[nodiscard]] std::optional<BatchJob> batch_job(Variables const& variables = variable_of_environment);

}  // namespace halocline
