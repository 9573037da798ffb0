#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// Whether MPI accepts device memory. If it does not, a device pointer ends the process. What MPI libraries report is
// unreliable (an Open MPI built without CUDA accepts device memory through a UCX that has it). So separate trial
// processes test it.

namespace halocline {

/// The reason why MPI does not accept the memory of this rank's device; empty: it does. Determined once per process:
/// from this user's cache, otherwise by trial processes, which take a second or two. Hosts may differ in the answer.
/// Call after MPI and Kokkos have started.
[[nodiscard]] std::string const& gpu_aware_mpi_obstacle();

/// Settings of the trial.
struct GpuAwareMpiTrial {
  std::filesystem::path program{};      ///< framework/runtime/gpu_aware_mpi_probe.cpp; installed beside the libraries
  std::vector<std::string> launcher{};  ///< words that start two ranks of a program on this host
  std::vector<std::string> environment{};  ///< of the processes; see trial_environment
  int device = 0;                          ///< of the first process; the second uses the next one
  std::chrono::milliseconds timeout{10'000};
};
/// For the device and the environment of this process.
[[nodiscard]] GpuAwareMpiTrial default_gpu_aware_mpi_trial();

/// Result of a trial.
struct GpuAwareMpiAnswer {
  std::string obstacle{};  ///< empty: there is none
  bool lasting = true;     ///< another trial would give the same result
};
/// Two ranks send each other device memory and compare what they receive. If the launcher cannot start them (a
/// container without mpirun, ranks of srun), one process sends to itself, which tests less.
[[nodiscard]] GpuAwareMpiAnswer try_gpu_aware_mpi(GpuAwareMpiTrial const& trial);

/// `variables` without those by which launchers and batch systems identify their processes. Variables by which users
/// choose MPI transports (OMPI_MCA_pml, UCX_TLS) stay.
[[nodiscard]] std::vector<std::string> trial_environment(std::span<std::string const> variables);

/// All that the answer depends on, one item a line: MPI and the libraries it uses, the device, and the variables that
/// choose MPI transports.
[[nodiscard]] std::string gpu_aware_mpi_key(GpuAwareMpiTrial const& trial);

}  // namespace halocline
