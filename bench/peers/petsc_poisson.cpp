// The problem of poisson_bench in 3D, including its --jump, solved by PETSc: conjugate gradients with a geometric
// multigrid cycle on a DMDA, to the same reduction of the residual. Times set-up and solve, and prints values with
// which solutions of two programs can be compared. One thread per rank; ranks divide the cube along z.
//
// All of PETSc's own options apply (-ksp_view, -mg_levels_pc_type, -pc_type gamg, …) and override the defaults here.
#include <mpi.h>
#include <petscdmda.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/peers/petsc.hpp"

namespace {

using namespace peer;

struct Arguments : Problem {
  std::string interpolation;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Poisson's equation by PETSc's conjugate gradients with multigrid; more options are PETSc's");
  // PETSc reads its own options from the same command line.
  app.allow_extras();
  app.set_help_flag("--help");
  arguments.declare_options(app);
  app.add_option("--interpolation", arguments.interpolation,
                 "constant: PETSc's own; linear: assembled here; the faster if not given")
      ->check(CLI::IsMember({"constant", "linear"}));
  parse_or_exit(app, count, values);
  // Linear interpolation between cells of different conductivity is far from the solution.
  if (arguments.interpolation.empty()) arguments.interpolation = arguments.jump == 1 ? "linear" : "constant";
  return arguments;
}

using Cell = std::array<PetscInt, 3>;

// The cells of one level.
struct Level {
  Arguments const& arguments;
  PetscInt cells;

  [[nodiscard]] double spacing() const { return 1.0 / static_cast<double>(cells); }

  [[nodiscard]] bool inside(Cell const& cell) const {
    return std::ranges::all_of(cell, [&](PetscInt at) { return at >= 0 && at < cells; });
  }

  // Ranks have slabs, so in PETSc's global order x is fastest and z slowest.
  [[nodiscard]] PetscInt index(Cell const& cell) const { return cell[0] + cells * (cell[1] + cells * cell[2]); }

  // Of a coarse cell: the conductivity at its centre, which is that of all fine cells in it while it fits into a block.
  [[nodiscard]] double conductivity(Cell const& cell) const {
    PetscInt blocks = 0;
    for (PetscInt const at : cell) blocks += (2 * at + 1) * arguments.cells / (2 * cells) / 16;
    return (blocks & 1) == 1 ? arguments.jump : 1;
  }
};

template <class Visit>
void for_cells(DM grid, Visit const& visit) {
  DMDALocalInfo owned;
  check(DMDAGetLocalInfo(grid, &owned));
  for (PetscInt z = owned.zs; z < owned.zs + owned.zm; ++z) {
    for (PetscInt y = owned.ys; y < owned.ys + owned.ym; ++y) {
      for (PetscInt x = owned.xs; x < owned.xs + owned.xm; ++x) visit(Cell{x, y, z});
    }
  }
}

Level level_of(Arguments const& arguments, DM grid) {
  DMDALocalInfo owned;
  check(DMDAGetLocalInfo(grid, &owned));
  return {arguments, owned.mx};
}

// -div(k grad u), integrated over the cells of a level: harmonic means at faces, walls half a cell away.
PetscErrorCode assemble(KSP solver, Mat, Mat matrix, void* context) {
  DM grid = nullptr;
  check(KSPGetDM(solver, &grid));
  Level const level = level_of(*static_cast<Arguments const*>(context), grid);
  for_cells(grid, [&](Cell const& cell) {
    std::array<PetscInt, 7> columns{level.index(cell)};
    std::array<double, 7> values{};
    PetscInt count = 1;
    double const here = level.conductivity(cell);
    for (int face = 0; face < 6; ++face) {
      Cell beside = cell;
      beside[static_cast<std::size_t>(face / 2)] += face % 2 == 0 ? -1 : 1;
      if (!level.inside(beside)) {
        values[0] += level.spacing() * 2 * here;
        continue;
      }
      double const there = level.conductivity(beside);
      double const coupling = level.spacing() * 2 * here * there / (here + there);
      values[0] += coupling;
      columns[static_cast<std::size_t>(count)] = level.index(beside);
      values[static_cast<std::size_t>(count)] = -coupling;
      ++count;
    }
    check(MatSetValues(matrix, 1, columns.data(), count, columns.data(), values.data(), INSERT_VALUES));
  });
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return 0;
}

Grid make_grid(Arguments const& arguments) {
  int ranks = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscInt const cells = arguments.cells;
  auto grid = make<Grid>(DMDACreate3d, PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, cells, cells, cells, 1, 1, ranks, 1, 1, nullptr, nullptr, nullptr);
  // Coarser grids are made of pairs of cells along each axis, not of nodes.
  check(DMDASetInterpolationType(grid.get(), DMDA_Q0));
  check(DMSetFromOptions(grid.get()));
  check(DMSetUp(grid.get()));
  return grid;
}

// Trilinear interpolation between cell centres; the value on a wall, half a coarse cell from the last centre, is zero.
Matrix make_linear_interpolation(Arguments const& arguments, DM coarse, DM fine) {
  Level const from = level_of(arguments, coarse);
  Level const to = level_of(arguments, fine);
  PetscInt rows = 0;
  PetscInt columns = 0;
  for_cells(fine, [&](auto const&) { ++rows; });
  for_cells(coarse, [&](auto const&) { ++columns; });
  auto matrix = make<Matrix>(MatCreateAIJ, PETSC_COMM_WORLD, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE, 8,
                             nullptr, 4, nullptr);
  for_cells(fine, [&](Cell const& cell) {
    PetscInt const row = to.index(cell);
    std::array<PetscInt, 8> parents{};
    std::array<double, 8> weights{};
    for (std::size_t corner = 0; corner < 8; ++corner) {
      Cell parent{};
      weights[corner] = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bool const farther = ((corner >> axis) & 1) == 1;
        parent[axis] = cell[axis] / 2;
        if (farther) parent[axis] += cell[axis] % 2 == 0 ? -1 : 1;
        // The value beyond the wall is the mirrored one with the opposite sign.
        bool const beyond = parent[axis] < 0 || parent[axis] >= from.cells;
        if (beyond) parent[axis] = cell[axis] / 2;
        weights[corner] *= (farther ? 0.25 : 0.75) * (beyond ? -1 : 1);
      }
      parents[corner] = from.index(parent);
    }
    check(MatSetValues(matrix.get(), 1, &row, 8, parents.data(), weights.data(), ADD_VALUES));
  });
  check(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

// Sets up the hierarchy as PETSc would from its grids, but with this interpolation.
void set_linear_interpolation(Arguments& arguments, PC multigrid, DM finest) {
  PetscInt levels = 0;
  PCMGGalerkinType galerkin = PC_MG_GALERKIN_NONE;
  check(PCMGGetLevels(multigrid, &levels));
  check(PCMGGetGalerkin(multigrid, &galerkin));
  Grid fine;
  for (PetscInt level = levels - 1; level > 0; --level) {
    auto coarse = make<Grid>(DMCoarsen, fine ? fine.get() : finest, MPI_COMM_NULL);
    Matrix const interpolation = make_linear_interpolation(arguments, coarse.get(), fine ? fine.get() : finest);
    check(PCMGSetInterpolation(multigrid, level, interpolation.get()));
    KSP smoother = nullptr;
    check(PCMGGetSmoother(multigrid, level - 1, &smoother));
    check(KSPSetDM(smoother, coarse.get()));
    check(KSPSetComputeOperators(smoother, assemble, &arguments));
    // A Galerkin product must not be assembled again.
    check(KSPSetDMActive(smoother, galerkin == PC_MG_GALERKIN_NONE ? PETSC_TRUE : PETSC_FALSE));
    fine = std::move(coarse);
  }
}

void set_default_options(Arguments const& arguments) {
  // Coarsen while the number of cells is even, down to 8 along each axis: larger cells would not fit into the blocks of
  // equal conductivity.
  int levels = 1;
  for (int cells = arguments.cells; cells % 2 == 0 && cells > 8; cells /= 2) ++levels;
  default_option("-pc_type", "mg");
  default_option("-pc_mg_levels", std::to_string(levels));
  // The fastest of V and W cycles, Chebyshev and Richardson, SOR and Jacobi, one to four sweeps.
  default_option("-pc_mg_cycle_type", arguments.jump == 1 ? "v" : "w");
  default_option("-mg_levels_ksp_type", "richardson");
  default_option("-mg_levels_ksp_max_it", "1");
  default_option("-mg_levels_pc_type", "sor");
}

Timing solve(Arguments& arguments) {
  Timing timing;
  Clock const setting_up;
  Grid const grid = make_grid(arguments);
  auto const solver = make<Solver>(KSPCreate, PETSC_COMM_WORLD);
  check(KSPSetDM(solver.get(), grid.get()));
  check(KSPSetComputeOperators(solver.get(), assemble, &arguments));
  set_conjugate_gradients(solver.get(), arguments);
  PC preconditioner = nullptr;
  check(KSPGetPC(solver.get(), &preconditioner));
  PetscBool multigrid = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCMG, &multigrid));
  if (multigrid == PETSC_TRUE && arguments.interpolation == "linear") {
    set_linear_interpolation(arguments, preconditioner, grid.get());
  }
  auto const b = make<Vector>(DMCreateGlobalVector, grid.get());
  auto const x = make<Vector>(VecDuplicate, b.get());
  check(VecSet(b.get(), arguments.right_hand_side()));
  check(KSPSetUp(solver.get()));
  timing.setup = setting_up.seconds();
  solve(solver.get(), b.get(), x.get(), timing);
  check(VecMax(x.get(), nullptr, &timing.maximum));
  return timing;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments = parse(count, values);
  if (PetscInitialize(&count, &values, nullptr, nullptr) != 0) return 1;
  int status = 1;
  try {
    set_default_options(arguments);
    status = run(
        arguments, [&] { return solve(arguments); },
        [&] {
          return nlohmann::json{{"program", program_name()}, {"interpolation", arguments.interpolation}};
        });
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  return PetscFinalize() == 0 ? status : 1;
}
