// probe-gpu-aware-mpi DEVICE SECONDS
//
// Sends memory of the backend by MPI: between two ranks, or from one rank to itself. If MPI cannot read that memory,
// this process crashes, hangs, or receives wrong values; the parent process checks how it ends. Prints `begun RANKS`
// before the messages, then `right` or `wrong`.

#include <mpi.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "framework/runtime/backend.hpp"

namespace halocline {
namespace {

/// Bytes; libraries use different protocols for short, medium and long messages.
constexpr std::array<int, 4> sizes{64, 1 << 10, 1 << 16, 1 << 22};
/// On a second use the memory is already registered.
constexpr int uses = 3;
constexpr int tag = 1;

using Bytes = Kokkos::View<unsigned char*, Memory>;

unsigned char value(int rank, int i, int use) { return static_cast<unsigned char>(3 * i + (i >> 8) + 64 * rank + use); }

/// Whether data sent by one rank arrives at the other, with nonblocking requests as a transport uses them.
bool brings_what_was_sent(Bytes const& source, Bytes const& sink, int rank, int other, int bytes) {
  std::array<MPI_Request, 2> requests{};
  MPI_Recv_init(sink.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, requests.data());
  MPI_Send_init(source.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[1]);
  auto const sent = Kokkos::create_mirror_view(source);
  auto const received = Kokkos::create_mirror_view(sink);
  bool right = true;
  for (int use = 0; use < uses; ++use) {
    for (int i = 0; i < bytes; ++i) sent(i) = value(rank, i, use);
    Kokkos::deep_copy(source, sent);
    Kokkos::deep_copy(sink, 0);
    Kokkos::fence("probe: ready");
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    Kokkos::deep_copy(received, sink);
    for (int i = 0; i < bytes; ++i) right = right && received(i) == value(other, i, use);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  return right;
}

bool try_messages() {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const other = size == 2 ? 1 - rank : rank;
  Bytes const source("probe", sizes.back());
  Bytes const sink("probe", sizes.back());
  Kokkos::fence("probe: begun");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("begun %d\n", size);
    std::fflush(stdout);
  }
  int right = 1;
  for (int const bytes : sizes) {
    if (!brings_what_was_sent(source, sink, rank, other, bytes)) right = 0;
  }
  int all = 0;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) std::puts(all != 0 ? "right" : "wrong");
  return right != 0;
}

}  // namespace
}  // namespace halocline

int main(int count, char** arguments) {
  int const device = count > 1 ? std::atoi(arguments[1]) : 0;
  // Ends the process even if it hangs and its parent has gone.
  alarm(count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 10U);
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true).set_num_threads(1);
  int const devices = Kokkos::num_devices();
  if (devices > 0) settings.set_device_id((device + rank) % devices);
  Kokkos::initialize(settings);
  bool const right = halocline::try_messages();
  Kokkos::finalize();
  MPI_Finalize();
  return right ? 0 : 1;
}
