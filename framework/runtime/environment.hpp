#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/devices.hpp"

namespace halocline {

struct EnvironmentOptions {
  int threads = 0;     ///< host threads of this rank; 0: OMP_NUM_THREADS, else this rank's share of the host's cores
  bool kokkos = true;  ///< otherwise `Environment::start_kokkos` starts it, once it is known on which devices
};

/// The devices that a rank uses, which are those of the Environment that started Kokkos.
struct RankDevices {
  std::vector<int> numbers;  ///< the first is Kokkos' own; one may be there several times; empty without devices
  /// How often the ranks of this host use one of them, at most; at least 1.
  int sharing = 1;
};
[[nodiscard]] RankDevices const& rank_devices();

/// Starts MPI, then Kokkos, and stops what it started in reverse order. Whatever the program has already started is
/// joined and left running.
class Environment {
 public:
  /// `ranks` are those that share the cores and devices of their hosts; collective over them. Throws InputError when
  /// MPI gives less than MPI_THREAD_FUNNELED, or was already started with less; InputOutputError where MPI may not open
  /// as many files as it needs.
  explicit Environment(EnvironmentOptions const& options = {}, MPI_Comm ranks = MPI_COMM_WORLD);
  ~Environment();
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

  /// Starts Kokkos on the first of this rank's share of the devices; without a choice a rank has one device, which
  /// ranks of a host take in turn. Collective. Does nothing where Kokkos has started. Throws InputError for devices
  /// that are not there.
  /// \param io_ranks the last so many ranks compute nothing: they have one thread and no share of the devices. Kokkos
  ///                 starts there, too, on a device that others use.
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
