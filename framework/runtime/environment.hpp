#pragma once

namespace halocline {

struct EnvironmentOptions {
  int threads = 0;  ///< host threads of this rank; 0: OMP_NUM_THREADS, else the cores this rank may use
  int device = -1;  ///< device of this rank; -1: by its position among the ranks of its host
};

/// Starts MPI, then Kokkos, and stops what it started in reverse order. Whatever the program has already started is
/// joined and left running.
///
/// Throws Error (wrong_input) when MPI gives less than MPI_THREAD_FUNNELED, or was already started with less, and
/// when the device asked for does not exist.
class Environment {
 public:
  explicit Environment(EnvironmentOptions options = {});
  ~Environment();
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

  [[nodiscard]] bool started_mpi() const { return started_mpi_; }
  [[nodiscard]] bool started_kokkos() const { return started_kokkos_; }

 private:
  bool started_mpi_ = false;
  bool started_kokkos_ = false;
};

/// Facts for a run's record.
[[nodiscard]] char const* backend_name();  ///< "OpenMP", "Cuda", … as Kokkos names the execution space
[[nodiscard]] int backend_concurrency();   ///< host threads, or what the device runs at a time

}  // namespace halocline
