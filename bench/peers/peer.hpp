#pragma once

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

// Shared by the programs of this folder: the options of poisson_bench's problem, a clock, and the output.

namespace peer {

struct Problem {
  int cells = 256;
  double tolerance = 1e-8;
  double jump = 1;
  int repeats = 1;
  bool json = false;

  void declare_options(CLI::App& app) {
    app.add_option("--cells", cells, "cells along each axis")->check(CLI::PositiveNumber);
    app.add_option("--tolerance", tolerance, "of the residual, relative to the initial one");
    app.add_option("--jump", jump, "of coefficients, see the program; 1: none");
    app.add_option("--repeats", repeats);
    app.add_flag("--json", json, "one JSON object a repeat");
  }
  [[nodiscard]] double right_hand_side() const { return std::pow(static_cast<double>(cells), -3); }
};

inline void parse_or_exit(CLI::App& app, int count, char** values) {
  try {
    app.parse(count, values);
  } catch (CLI::ParseError const& error) {
    std::exit(app.exit(error));
  }
}

// Seconds of the slowest rank.
class Clock {
 public:
  [[nodiscard]] double seconds() const {
    double mine = MPI_Wtime() - start_;
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mine;
  }

 private:
  static double start_together() {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
  }
  double start_ = start_together();
};

constexpr int most_iterations = 200;

struct Timing {
  double setup = 0;
  double solve = 0;
  long long iterations = 0;
  bool converged = false;
  double reduction = 0;
  double norm = 0;
  double maximum = 0;
};

// `line`: information about the program itself.
inline void print(Problem const& problem, Timing const& timing, nlohmann::json line) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) return;
  char const* const outcome = timing.converged ? "converged" : "not converged";
  if (problem.json) {
    line.update({{"cells", problem.cells},
                 {"jump", problem.jump},
                 {"ranks", ranks},
                 {"tolerance", problem.tolerance},
                 {"setup_seconds", timing.setup},
                 {"solve_seconds", timing.solve},
                 {"seconds", timing.setup + timing.solve},
                 {"iterations", timing.iterations},
                 {"outcome", outcome},
                 {"residual_reduction", timing.reduction},
                 {"solution_norm", timing.norm},
                 {"solution_maximum", timing.maximum}});
    std::printf("%s\n", line.dump().c_str());
    return;
  }
  std::printf("%s after %lld iterations, reduction %.2e; set-up %.3f s, solve %.3f s; norm %.12e, maximum %.12e\n",
              outcome, timing.iterations, timing.reduction, timing.setup, timing.solve, timing.norm, timing.maximum);
}

// Calls `solve()` as often as the problem requires; returns the exit status.
template <class Solve, class Describe>
int run(Problem const& problem, Solve const& solve, Describe const& describe) {
  bool all_converged = true;
  for (int repeat = 0; repeat < problem.repeats; ++repeat) {
    Timing const timing = solve();
    all_converged = all_converged && timing.converged;
    print(problem, timing, describe());
  }
  return all_converged ? 0 : 3;
}

}  // namespace peer
