// Solves -laplace(u) = 1 on the unit square or cube, u = 0 on the walls, cell-centred, by conjugate gradients with a
// multigrid cycle as preconditioner; times set-up and solve. With --jump, the conductivity alternates between blocks of
// cells. One process with all threads; start it under mpirun for more ranks.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/region_times.hpp"
#include "physics/equations/diffusion.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/refinement.hpp"

namespace {

using namespace halocline;

struct Arguments {
  Index cells = 256;
  int dimensions = 3;
  double tolerance = 1e-8;
  double jump = 1;
  int sweeps = 2;
  int repeats = 1;
  std::string smoother = "red_black";
  std::string cycle = "V";
  bool single = false;
  bool single_cycles = false;
  bool full = false;
  bool refine = false;
  bool json = false;
  bool regions = false;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Poisson's equation by conjugate gradients with multigrid");
  app.add_option("--cells", arguments.cells, "cells along each axis")->check(CLI::PositiveNumber);
  app.add_option("--dimensions", arguments.dimensions)->check(CLI::Range(1, 3));
  app.add_option("--tolerance", arguments.tolerance, "of the residual, relative to the initial one");
  app.add_option("--jump", arguments.jump, "conductivity of every other block of cells; 1: constant coefficients");
  app.add_option("--sweeps", arguments.sweeps, "of the smoother, on each way");
  app.add_option("--cycle", arguments.cycle)->check(CLI::IsMember({"V", "W"}));
  app.add_option("--smoother", arguments.smoother)->check(CLI::IsMember({"red_black", "chebyshev"}));
  app.add_option("--repeats", arguments.repeats);
  app.add_flag("--single", arguments.single, "single precision");
  app.add_flag("--single-cycles", arguments.single_cycles, "cycles in single precision, for a solver in double");
  app.add_flag("--full", arguments.full, "begin the solve with full multigrid");
  app.add_flag("--refine", arguments.refine, "no conjugate gradients: refine by cycles in single precision");
  app.add_flag("--json", arguments.json, "one JSON object a repeat");
  app.add_flag("--regions", arguments.regions, "where the time went");
  try {
    app.parse(count, values);
  } catch (CLI::ParseError const& error) {
    std::exit(app.exit(error));
  }
  return arguments;
}

struct Timing {
  double setup = 0;
  double solve = 0;
  SolveReport report;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Real>
std::optional<Field<Real>> conductivity(std::shared_ptr<StructuredMesh const> const& mesh, Arguments const& arguments) {
  if (arguments.jump == 1) return std::nullopt;
  Field<Real> k(mesh, {.name = "conductivity"});
  for (Block const& block : mesh->blocks()) {
    IndexRange const owned = k.owned(block);
    std::vector<Real> values;
    for (Index z = owned.begin[2]; z < owned.end[2]; ++z) {
      for (Index y = owned.begin[1]; y < owned.end[1]; ++y) {
        for (Index x = owned.begin[0]; x < owned.end[0]; ++x) {
          Index const at[3] = {block.cells.begin[0] + x, block.cells.begin[1] + y, block.cells.begin[2] + z};
          bool const odd = ((at[0] / 16 + at[1] / 16 + at[2] / 16) & 1) == 1;
          values.push_back(odd ? static_cast<Real>(arguments.jump) : Real{1});
        }
      }
    }
    k.set_owned(block, 0, std::as_bytes(std::span(values)));
  }
  Exchange({&k}).exchange({&k});
  return k;
}

template <class Real>
Timing solve(std::shared_ptr<StructuredMesh const> const& mesh, Arguments const& arguments) {
  Timing timing;
  auto const k = conductivity<Real>(mesh, arguments);
  auto const start = std::chrono::steady_clock::now();
  DiffusionDescription const description{.mesh = mesh,
                                         .conditions = BoundaryConditions::all({.kind = BoundaryKind::dirichlet})};
  auto const a = make_diffusion<Real>(description, {.conductivity = k ? &*k : nullptr});
  MultigridSettings settings;
  settings.cycle = arguments.cycle == "W" ? CycleShape::w : CycleShape::v;
  settings.smoother.sweeps = arguments.sweeps;
  settings.single_precision = arguments.single_cycles;
  if (arguments.full) settings.start = MultigridStart::full;
  if (arguments.smoother == "chebyshev") settings.smoother.name = "chebyshev";
  Criteria const criteria{.relative = arguments.tolerance, .absolute = 0, .iterations = 200};
  std::unique_ptr<LinearSolver> solver;
  if (arguments.refine)
    solver = std::make_unique<MultigridRefinement>(criteria, settings);
  else
    solver = std::make_unique<ConjugateGradients>(criteria, make_multigrid(settings));
  solver->prepare(*a);
  auto const b = a->create_vector();
  auto const x = a->create_vector();
  b->fill(std::pow(static_cast<double>(arguments.cells), -arguments.dimensions));
  timing.setup = seconds_since(start);
  auto const solving = std::chrono::steady_clock::now();
  timing.report = solver->solve(*a, *b, *x);
  timing.solve = seconds_since(solving);
  return timing;
}

void print(Arguments const& arguments, Timing const& timing, int ranks) {
  SolveReport const& report = timing.report;
  if (arguments.json) {
    nlohmann::json const line{{"cells", arguments.cells},
                              {"dimensions", arguments.dimensions},
                              {"jump", arguments.jump},
                              {"precision", arguments.single ? "single" : "double"},
                              {"smoother", arguments.smoother},
                              {"cycle", arguments.cycle},
                              {"sweeps", arguments.sweeps},
                              {"single_cycles", arguments.single_cycles},
                              {"full", arguments.full},
                              {"refine", arguments.refine},
                              {"ranks", ranks},
                              {"threads", host_threads()},
                              {"tolerance", arguments.tolerance},
                              {"setup_seconds", timing.setup},
                              {"solve_seconds", timing.solve},
                              {"seconds", timing.setup + timing.solve},
                              {"iterations", report.iterations},
                              {"outcome", to_string(report.outcome)},
                              {"residual_reduction", report.true_residual / report.initial_residual}};
    std::printf("%s\n", line.dump().c_str());
    return;
  }
  std::printf("%s after %lld iterations, reduction %.2e; set-up %.3f s, solve %.3f s\n", to_string(report.outcome),
              static_cast<long long>(report.iterations), report.true_residual / report.initial_residual, timing.setup,
              timing.solve);
}

int run(Arguments const& arguments) {
  auto const communicator = std::make_shared<Communicator>(MPI_COMM_WORLD);
  StructuredMeshDescription description;
  description.axes.assign(static_cast<std::size_t>(arguments.dimensions), Axis::uniform(arguments.cells, 0, 1));
  auto const mesh = StructuredMesh::make(description, communicator);
  bool all_reached = true;
  for (int repeat = 0; repeat < arguments.repeats; ++repeat) {
    reset_region_times();
    Timing const timing = arguments.single ? solve<float>(mesh, arguments) : solve<double>(mesh, arguments);
    all_reached = all_reached && reached(timing.report.outcome);
    if (communicator->rank() == 0) print(arguments, timing, communicator->size());
  }
  if (arguments.regions && communicator->rank() == 0) {
    for (RegionTime const& region : region_times()) {
      std::printf("%10.4f s %8.0f x %s\n", region.seconds.mean, region.calls, region.name.c_str());
    }
  }
  return all_reached ? 0 : 3;
}

}  // namespace

int main(int count, char** values) {
  Arguments const arguments = parse(count, values);
  Environment const environment;
  try {
    return run(arguments);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
