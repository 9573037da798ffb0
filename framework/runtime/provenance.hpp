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
  std::string device_compiler;  ///< "NVIDIA 13.0.48, for 90"; empty if one compiler does both
  std::string flags;            ///< of host code
  std::string kokkos;           ///< version
  std::string kokkos_options;   ///< "OPENMP SERIAL …": its backends, architectures and options
};
[[nodiscard]] BuildFacts build_facts();

/// Where a rank runs.
struct RankPlace {
  std::string node;   ///< name of its machine
  std::string cores;  ///< logical cores that its threads may run on: "0-3,8"
  int threads = 0;
};
/// Of all ranks, in order: on the first of the ranks that started Kokkos together; empty elsewhere.
[[nodiscard]] std::vector<RankPlace> const& rank_places();
/// Collective, after Kokkos has started: stores what rank_places() returns.
void remember_rank_places(MPI_Comm ranks);

/// The batch job of this process.
struct BatchJob {
  std::string system;  ///< "Slurm", "PBS", "LSF", "Flux"
  std::string id;
  std::string name;  ///< empty where it has none
  std::string task;  ///< for an array of jobs; otherwise empty
};
[[nodiscard]] std::optional<BatchJob> batch_job(Variables const& variables = variable_of_environment);

}  // namespace halocline
