// A cube of linear elastic material, clamped at x = 0 and bent by a body force of 1 downwards along z, by trilinear
// finite elements on its nodes, as the physics `elasticity` has it: optionally with a ball in the middle that is --jump
// times as stiff. Solved by PETSc's conjugate gradients with its algebraic multigrid, which is told the rigid motions.
//
// All of PETSc's own options apply (-ksp_view, -pc_type hypre, …) and override the defaults here.
#include <mpi.h>
#include <petscdmda.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/peers/petsc.hpp"

namespace {

using namespace peer;

struct Arguments : Problem {
  double poisson = 0.3;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("A clamped elastic cube by PETSc's conjugate gradients; more options are PETSc's");
  app.allow_extras();
  app.set_help_flag("--help");
  arguments.declare_options(app);
  app.add_option("--poisson", arguments.poisson, "Poisson's ratio");
  parse_or_exit(app, count, values);
  return arguments;
}

constexpr int corners = 8;
constexpr int unknowns = 3 * corners;
using ElementMatrix = std::array<double, unknowns * unknowns>;

std::array<int, 3> bits(int corner) { return {corner & 1, corner >> 1 & 1, corner >> 2 & 1}; }

// Of a cubic cell with sides h and Young's modulus 1: two points of Gauss along each axis integrate it exactly.
ElementMatrix element_matrix(double poisson, double h) {
  double const mu = 1 / (2 * (1 + poisson));
  double const lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
  ElementMatrix matrix{};
  for (int point = 0; point < 8; ++point) {
    std::array<double, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = 0.5 + (bits(point)[axis] - 0.5) / std::sqrt(3.0);
    std::array<std::array<double, 3>, corners> slopes{};
    for (int corner = 0; corner < corners; ++corner) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double slope = (bits(corner)[axis] == 1 ? 1 : -1) / h;
        for (std::size_t other = 0; other < 3; ++other) {
          if (other != axis) slope *= bits(corner)[other] == 1 ? at[other] : 1 - at[other];
        }
        slopes[static_cast<std::size_t>(corner)][axis] = slope;
      }
    }
    double const weight = h * h * h / 8;
    for (std::size_t a = 0; a < corners; ++a) {
      for (std::size_t b = 0; b < corners; ++b) {
        double product = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) product += slopes[a][axis] * slopes[b][axis];
        for (std::size_t p = 0; p < 3; ++p) {
          for (std::size_t q = 0; q < 3; ++q) {
            double const entry = lambda * slopes[a][p] * slopes[b][q] + mu * slopes[a][q] * slopes[b][p];
            matrix[(3 * a + p) * unknowns + 3 * b + q] += weight * (entry + (p == q ? mu * product : 0));
          }
        }
      }
    }
  }
  return matrix;
}

Grid make_grid(Arguments const& arguments) {
  int ranks = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscInt const nodes = arguments.cells + 1;
  auto grid = make<Grid>(DMDACreate3d, PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_BOX, nodes, nodes, nodes, 1, 1, ranks, 3, 1, nullptr, nullptr, nullptr);
  check(DMSetFromOptions(grid.get()));
  check(DMSetUp(grid.get()));
  check(DMDASetUniformCoordinates(grid.get(), 0, 1, 0, 1, 0, 1));
  return grid;
}

double young(Arguments const& arguments, std::array<PetscInt, 3> const& cell) {
  double square = 0;
  for (PetscInt const n : cell) square += std::pow((static_cast<double>(n) + 0.5) / arguments.cells - 0.5, 2);
  return square < 0.0625 ? arguments.jump : 1;
}

struct System {
  Matrix matrix;
  Vector force;
};

System assemble(Arguments const& arguments, DM grid) {
  double const h = 1.0 / arguments.cells;
  ElementMatrix const element = element_matrix(arguments.poisson, h);
  System system{make<Matrix>(DMCreateMatrix, grid), make<Vector>(DMCreateGlobalVector, grid)};
  PetscInt element_count = 0;
  PetscInt corner_count = 0;
  PetscInt const* nodes = nullptr;
  auto const local = make<Vector>(DMCreateLocalVector, grid);
  check(VecSet(local.get(), 0));
  check(DMDAGetElements(grid, &element_count, &corner_count, &nodes));
  DMDALocalInfo info;
  check(DMDAGetLocalInfo(grid, &info));
  double* forces = nullptr;
  check(VecGetArray(local.get(), &forces));
  // PETSc goes around the corners of each face.
  constexpr std::array<std::size_t, corners> own{0, 1, 3, 2, 4, 5, 7, 6};
  for (PetscInt number = 0; number < element_count; ++number) {
    PetscInt const* const theirs = nodes + number * corner_count;
    std::array<PetscInt, corners> at{};
    for (std::size_t corner = 0; corner < corners; ++corner) at[own[corner]] = theirs[corner];
    std::array<PetscInt, 3> const first{info.gxs + at[0] % info.gxm, info.gys + at[0] / info.gxm % info.gym,
                                        info.gzs + at[0] / (info.gxm * info.gym)};
    double const modulus = young(arguments, first);
    ElementMatrix scaled = element;
    for (double& entry : scaled) entry *= modulus;
    check(MatSetValuesBlockedLocal(system.matrix.get(), corners, at.data(), corners, at.data(), scaled.data(),
                                   ADD_VALUES));
    for (PetscInt const node : at) forces[3 * node + 2] -= h * h * h / 8;
  }
  check(VecRestoreArray(local.get(), &forces));
  check(DMDARestoreElements(grid, &element_count, &corner_count, &nodes));
  check(MatAssemblyBegin(system.matrix.get(), MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(system.matrix.get(), MAT_FINAL_ASSEMBLY));
  check(VecSet(system.force.get(), 0));
  check(DMLocalToGlobal(grid, local.get(), ADD_VALUES, system.force.get()));
  // The clamped wall.
  std::vector<PetscInt> held;
  if (info.xs == 0) {
    for (PetscInt z = info.zs; z < info.zs + info.zm; ++z) {
      for (PetscInt y = info.ys; y < info.ys + info.ym; ++y) {
        PetscInt const node = (y - info.gys) * info.gxm + (z - info.gzs) * info.gxm * info.gym - info.gxs;
        for (PetscInt c = 0; c < 3; ++c) held.push_back(3 * node + c);
      }
    }
  }
  auto const zero = make<Vector>(VecDuplicate, system.force.get());
  check(VecSet(zero.get(), 0));
  check(MatZeroRowsColumnsLocal(system.matrix.get(), static_cast<PetscInt>(held.size()), held.data(), 1, zero.get(),
                                system.force.get()));
  check(MatSetOption(system.matrix.get(), MAT_SPD, PETSC_TRUE));
  return system;
}

void set_default_options() {
  default_option("-pc_type", "gamg");
  default_option("-mg_levels_ksp_type", "chebyshev");
  default_option("-mg_levels_ksp_max_it", "2");
  default_option("-mg_levels_pc_type", "jacobi");
}

Timing solve(Arguments const& arguments) {
  Timing timing;
  Clock const setting_up;
  Grid const grid = make_grid(arguments);
  System const system = assemble(arguments, grid.get());
  Vec coordinates = nullptr;
  check(DMGetCoordinates(grid.get(), &coordinates));
  using NullSpace = Owned<MatNullSpace, MatNullSpaceDestroy>;
  auto const motions = make<NullSpace>(MatNullSpaceCreateRigidBody, coordinates);
  check(MatSetNearNullSpace(system.matrix.get(), motions.get()));
  auto const solver = make<Solver>(KSPCreate, PETSC_COMM_WORLD);
  check(KSPSetOperators(solver.get(), system.matrix.get(), system.matrix.get()));
  set_conjugate_gradients(solver.get(), arguments);
  auto const x = make<Vector>(VecDuplicate, system.force.get());
  check(KSPSetUp(solver.get()));
  timing.setup = setting_up.seconds();
  solve(solver.get(), system.force.get(), x.get(), timing);
  check(VecNorm(x.get(), NORM_INFINITY, &timing.maximum));
  return timing;
}

}  // namespace

int main(int count, char** values) {
  Arguments const arguments = parse(count, values);
  if (PetscInitialize(&count, &values, nullptr, nullptr) != 0) return 1;
  int status = 1;
  try {
    set_default_options();
    status = run(
        arguments, [&] { return solve(arguments); },
        [&] {
          return nlohmann::json{{"program", program_name()}, {"poisson", arguments.poisson}};
        });
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  return PetscFinalize() == 0 ? status : 1;
}
