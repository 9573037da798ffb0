#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/devices.hpp"

namespace halocline {

struct EnvironmentOptions {
  int threads = 0;     ///< host threads of this rank; 0: OMP_NUM_THREADS, else this rank's share of the host's cores
  bool kokkos = true;  ///< otherwise `Environment::start_kokkos` starts it, once the devices are known
};

/// The devices of a rank: those of the Environment that started Kokkos.
struct RankDevices {
  std::vector<int> numbers;  ///< the first is Kokkos' own; a number may occur several times; empty without devices
  /// Maximum number of uses of one of them by the ranks of this host; at least 1.
  int sharing = 1;
};
[[nodiscard]] RankDevices const& rank_devices();

/// Starts MPI, then Kokkos, and stops what it started in reverse order. If the program has already started one of them,
/// it is used and left running.
class Environment {
 public:
  /// `ranks` are those that share the cores and devices of their hosts; collective over them. Throws InputError if MPI
  /// provides less than MPI_THREAD_FUNNELED, or was already started with less; InputOutputError if the limit on open
  /// files is too low for MPI.
  explicit Environment(EnvironmentOptions const& options = {}, MPI_Comm ranks = MPI_COMM_WORLD);
  ~Environment();
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

  /// Starts Kokkos on the first of this rank's share of the devices; without a choice each rank has one device,
  /// assigned round-robin among the ranks of a host. Collective. Does nothing if Kokkos has started. Throws InputError
  /// for devices that do not exist.
  /// \param io_ranks the last `io_ranks` ranks compute nothing: each has one thread and no share of the devices. Kokkos
  ///                 starts there as well, on a device that other ranks use.
  void start_kokkos(std::optional<DeviceChoice> const& devices = std::nullopt, int io_ranks = 0);

  [[nodiscard]] bool started_mpi() const { return started_mpi_; }
  [[nodiscard]] bool started_kokkos() const { return started_kokkos_; }

 private:
  EnvironmentOptions options_;
  MPI_Comm ranks_;
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
