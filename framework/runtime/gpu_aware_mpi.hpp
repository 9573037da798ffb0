#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// Whether MPI takes device memory. Where it does not, a device pointer ends the process, and what libraries say of
// themselves is wrong both ways (an Open MPI built without CUDA takes device memory through a UCX that has it). So it
// is tried, by processes that nobody misses.

namespace halocline {

/// Why MPI cannot be given the memory of the device of this rank; empty: it can. Asks once a process: the cache of this
/// user, otherwise trial processes, which takes a second or two. Ranks of other hosts may find another answer. After
/// MPI and Kokkos have started.
[[nodiscard]] std::string const& gpu_aware_mpi_obstacle();

/// How to find out.
struct GpuAwareMpiTrial {
  std::filesystem::path program{};         ///< framework/runtime/gpu_aware_mpi_probe.cpp; beside the libraries
  std::vector<std::string> launcher{};     ///< words that start two ranks of a program on this host
  std::vector<std::string> environment{};  ///< of the processes; see trial_environment
  int device = 0;                          ///< of the first of them; the second takes the next one
  std::chrono::milliseconds patience{10'000};
};
/// For the device and the environment of this process.
[[nodiscard]] GpuAwareMpiTrial default_gpu_aware_mpi_trial();

/// What a trial has shown.
struct GpuAwareMpiAnswer {
  std::string obstacle{};  ///< empty: there is none
  bool lasting = true;     ///< another trial would show the same
};
/// Two ranks send each other device memory, and return what they got. Where the launcher cannot start them (a container
/// without mpirun, ranks of srun) one process sends to itself, which shows less.
[[nodiscard]] GpuAwareMpiAnswer try_gpu_aware_mpi(GpuAwareMpiTrial const& trial);

/// Variables without those by which launchers and batch systems tell a process that it is one of theirs: those that
/// users choose ways of messages by (OMPI_MCA_pml, UCX_TLS) stay.
[[nodiscard]] std::vector<std::string> trial_environment(std::span<std::string const> variables);

/// All that the answer depends on, in lines: MPI and the libraries it stands on, the device, and the variables that
/// choose ways of messages.
[[nodiscard]] std::string gpu_aware_mpi_key(GpuAwareMpiTrial const& trial);

}  // namespace halocline
