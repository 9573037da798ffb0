#pragma once

#include <mpi.h>

#include <string>

namespace halocline {

struct EnvironmentOptions {
  int threads = 0;  ///< host threads of this rank; 0: OMP_NUM_THREADS, else this rank's share of the host's cores
  int device = -1;  ///< device of this rank; -1: by its position among the ranks of its host
};

/// Starts MPI, then Kokkos, and stops what it started in reverse order. Whatever the program has already started is
/// joined and left running.
class Environment {
 public:
  /// `ranks` are those that share the cores and devices of their hosts; collective over them. Throws InputError when
  /// MPI gives less than MPI_THREAD_FUNNELED, or was already started with less, and when there is no device of the
  /// number asked for; InputOutputError where MPI may not open as many files as it needs.
  explicit Environment(EnvironmentOptions const& options = {}, MPI_Comm ranks = MPI_COMM_WORLD);
  ~Environment();
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

  [[nodiscard]] bool started_mpi() const { return started_mpi_; }
  [[nodiscard]] bool started_kokkos() const { return started_kokkos_; }

 private:
  bool started_mpi_ = false;
  bool started_kokkos_ = false;
};

/// What the backend runs on: the device's name; the processor's on a host backend.
[[nodiscard]] std::string backend_hardware();
/// Name of the machine that this process runs on.
[[nodiscard]] std::string host_name();
/// The time in UTC: "2026-03-01T12:00:00Z".
[[nodiscard]] std::string utc_now();
/// Host threads of this rank.
[[nodiscard]] int host_threads();

}  // namespace halocline
