// Uses MPI and Kokkos that a program has already started: both, one or neither. Each starts only once per process, so
// this program runs once per case; the case is its argument.
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <string>

#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"

namespace {

int failures = 0;

void expect(bool holds, char const* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}

bool mpi_runs() {
  int started = 0;
  int stopped = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&stopped);
  return started != 0 && stopped == 0;
}

void join(bool mpi, bool kokkos) {
  {
    halocline::Environment const environment;
    expect(environment.started_mpi() == !mpi, "starts MPI when nobody has");
    expect(environment.started_kokkos() == !kokkos, "starts Kokkos when nobody has");
    expect(Kokkos::is_initialized() && mpi_runs(), "both run");
  }
  expect(Kokkos::is_initialized() == kokkos, "stops Kokkos when it started it");
  expect(mpi_runs() == mpi, "stops MPI when it started it");
}

void refuse_single_thread() {
  try {
    halocline::Environment const environment;
    expect(false, "refuses MPI_THREAD_SINGLE");
  } catch (halocline::InputError const& error) {
    expect(std::string(error.what()) ==
               "MPI runs at MPI_THREAD_SINGLE; Halocline needs MPI_THREAD_FUNNELED or more (MPI_Init_thread)",
           error.what());
  }
  expect(!Kokkos::is_initialized(), "starts nothing");
}

}  // namespace

int main(int argc, char** argv) {
  std::string const mode = argc > 1 ? argv[1] : "";
  bool const mpi = mode == "mpi" || mode == "both" || mode == "single";
  bool const kokkos = mode == "kokkos" || mode == "both";
  int level = 0;
  if (mpi) MPI_Init_thread(&argc, &argv, mode == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &level);
  if (kokkos) Kokkos::initialize(argc, argv);
  if (mode == "single") {
    if (level == MPI_THREAD_SINGLE) refuse_single_thread();
  } else {
    join(mpi, kokkos);
  }
  if (kokkos) Kokkos::finalize();
  if (mpi) MPI_Finalize();
  return failures;
}
