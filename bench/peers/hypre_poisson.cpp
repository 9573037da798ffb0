// The problem of poisson_bench in 3D, including its --jump, solved by hypre: conjugate gradients with PFMG, SMG or
// BoomerAMG as preconditioner, to the same reduction of the residual. Times set-up and solve, and prints values with
// which solutions of two programs can be compared. One thread per rank; ranks divide the cube along z.
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/peers/peer.hpp"

namespace {

using peer::Clock;
using peer::most_iterations;
using peer::Timing;

struct Arguments : peer::Problem {
  std::string method = "pfmg";
  int sweeps = 1;
  std::string storage;
  int relax = -1;
  int rap = 0;
  int skip = 1;
  int levels = 0;
  double strong = 0.25;
  int aggressive = 0;
  int coarsening = 10;
  int interpolation = 6;
  int entries = 4;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Poisson's equation by hypre's conjugate gradients with one of its multigrid methods");
  arguments.declare_options(app);
  app.add_option("--method", arguments.method)->check(CLI::IsMember({"pfmg", "smg", "boomeramg"}));
  app.add_option("--sweeps", arguments.sweeps, "of the smoother, on each way");
  app.add_option("--storage", arguments.storage,
                 "PFMG, SMG: entries of the matrix that are kept; the fewest if not given")
      ->check(CLI::IsMember({"full", "symmetric", "constant"}));
  app.add_option("--relax", arguments.relax,
                 "PFMG, BoomerAMG: hypre's number of the smoother; -1: the fastest that we met");
  app.add_option("--rap", arguments.rap, "PFMG: 0: Galerkin, 1: 7-point coarse operators");
  app.add_option("--skip", arguments.skip, "PFMG: 1: no smoothing on levels that are not needed if isotropic");
  app.add_option("--levels", arguments.levels, "PFMG, BoomerAMG: at most; 0: hypre's choice");
  app.add_option("--strong", arguments.strong, "BoomerAMG: threshold of strong couplings");
  app.add_option("--aggressive", arguments.aggressive, "BoomerAMG: levels of aggressive coarsening");
  app.add_option("--coarsening", arguments.coarsening, "BoomerAMG: hypre's number; 10: HMIS, 8: PMIS");
  app.add_option("--interpolation", arguments.interpolation, "BoomerAMG: hypre's number; 6: extended+i");
  app.add_option("--entries", arguments.entries, "BoomerAMG: of a row of the interpolation, at most");
  peer::parse_or_exit(app, count, values);
  // SMG does not support constant matrix entries.
  bool const constant = arguments.jump == 1 && arguments.method == "pfmg";
  if (arguments.storage.empty()) arguments.storage = constant ? "constant" : "symmetric";
  if (arguments.storage == "constant" && !constant) {
    throw CLI::ValidationError("--storage constant", "needs --method pfmg and constant coefficients, --jump 1");
  }
  return arguments;
}

// hypre's handles are pointers to its own types, each with a function that frees it.
template <class Handle, auto destroy>
struct GiveBack {
  using pointer = Handle;
  void operator()(Handle handle) const { destroy(handle); }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, GiveBack<Handle, destroy>>;

// Calls create() with the address where hypre writes the handle as its last argument.
template <class Owner, class Create, class... Given>
Owner make(Create create, Given... given) {
  typename Owner::pointer handle = nullptr;
  create(given..., &handle);
  return Owner(handle);
}

// The planes of cells [begin, end) along z that this rank owns.
struct Slab {
  int begin = 0;
  int end = 0;

  explicit Slab(int cells) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > cells) throw std::runtime_error("more ranks than planes of cells");
    begin = static_cast<int>(static_cast<long long>(cells) * rank / ranks);
    end = static_cast<int>(static_cast<long long>(cells) * (rank + 1) / ranks);
  }
};

double conductivity(Arguments const& arguments, std::array<int, 3> const& cell) {
  bool const odd = ((cell[0] / 16 + cell[1] / 16 + cell[2] / 16) & 1) == 1;
  return odd ? arguments.jump : 1;
}

// A cell and its neighbours, in the order of its row's entries.
constexpr int neighbours[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

std::array<int, 3> neighbour(std::array<int, 3> const& cell, int entry) {
  return {cell[0] + neighbours[entry][0], cell[1] + neighbours[entry][1], cell[2] + neighbours[entry][2]};
}

bool inside(Arguments const& arguments, std::array<int, 3> const& cell) {
  return std::ranges::all_of(cell, [&](int at) { return at >= 0 && at < arguments.cells; });
}

// -div(k grad u), integrated over the cell: harmonic means at faces, walls half a cell away.
std::array<double, 7> row_of(Arguments const& arguments, std::array<int, 3> const& cell) {
  std::array<double, 7> row{};
  double const spacing = 1.0 / arguments.cells;
  double const here = conductivity(arguments, cell);
  for (int entry = 1; entry < 7; ++entry) {
    std::array<int, 3> const beside = neighbour(cell, entry);
    if (inside(arguments, beside)) {
      double const there = conductivity(arguments, beside);
      row[static_cast<std::size_t>(entry)] = -spacing * 2 * here * there / (here + there);
      row[0] -= row[static_cast<std::size_t>(entry)];
    } else {
      row[0] += spacing * 2 * here;
    }
  }
  return row;
}

template <class Visit>
void for_cells_of_plane(Arguments const& arguments, int z, Visit const& visit) {
  for (int y = 0; y < arguments.cells; ++y) {
    for (int x = 0; x < arguments.cells; ++x) visit(std::array<int, 3>{x, y, z});
  }
}

double norm_of(std::vector<double> const& values) {
  double square = 0;
  for (double const value : values) square += value * value;
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return std::sqrt(square);
}

double maximum_of(std::vector<double> const& values) {
  double maximum = *std::ranges::max_element(values);
  MPI_Allreduce(MPI_IN_PLACE, &maximum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return maximum;
}

// The structured interface, for PFMG and SMG.
namespace structured {

using Grid = Owned<HYPRE_StructGrid, HYPRE_StructGridDestroy>;
using Stencil = Owned<HYPRE_StructStencil, HYPRE_StructStencilDestroy>;
using Matrix = Owned<HYPRE_StructMatrix, HYPRE_StructMatrixDestroy>;
using Vector = Owned<HYPRE_StructVector, HYPRE_StructVectorDestroy>;
using Gradients = Owned<HYPRE_StructSolver, HYPRE_StructPCGDestroy>;
using Pfmg = Owned<HYPRE_StructSolver, HYPRE_StructPFMGDestroy>;
using Smg = Owned<HYPRE_StructSolver, HYPRE_StructSMGDestroy>;

// hypre takes corners of boxes by non-const pointers but does not change them.
struct Box {
  std::array<HYPRE_Int, 3> lower;
  std::array<HYPRE_Int, 3> upper;
};

Box planes(Arguments const& arguments, int begin, int end) {
  return {{0, 0, begin}, {arguments.cells - 1, arguments.cells - 1, end - 1}};
}

Grid make_grid(Arguments const& arguments, Slab const& slab) {
  auto grid = make<Grid>(HYPRE_StructGridCreate, MPI_COMM_WORLD, 3);
  Box box = planes(arguments, slab.begin, slab.end);
  HYPRE_StructGridSetExtents(grid.get(), box.lower.data(), box.upper.data());
  HYPRE_StructGridAssemble(grid.get());
  return grid;
}

Matrix make_matrix(Arguments const& arguments, Slab const& slab, Grid const& grid) {
  // For a symmetric matrix, hypre needs only the entries on one side.
  bool const symmetric = arguments.storage == "symmetric";
  auto const kept = symmetric ? std::vector<int>{0, 2, 4, 6} : std::vector<int>{0, 1, 2, 3, 4, 5, 6};
  std::vector<HYPRE_Int> entries(kept.size());
  auto const stencil = make<Stencil>(HYPRE_StructStencilCreate, 3, static_cast<HYPRE_Int>(kept.size()));
  for (std::size_t entry = 0; entry < kept.size(); ++entry) {
    auto const* const offset = neighbours[kept[entry]];
    std::array<HYPRE_Int, 3> offsets{offset[0], offset[1], offset[2]};
    entries[entry] = static_cast<HYPRE_Int>(entry);
    HYPRE_StructStencilSetElement(stencil.get(), entries[entry], offsets.data());
  }
  auto matrix = make<Matrix>(HYPRE_StructMatrixCreate, MPI_COMM_WORLD, grid.get(), stencil.get());
  HYPRE_StructMatrixSetSymmetric(matrix.get(), symmetric ? 1 : 0);
  // With constant storage the walls only change the diagonal, the only entry that varies between rows.
  bool const constant = arguments.storage == "constant";
  HYPRE_Int const varying = constant ? 1 : static_cast<HYPRE_Int>(entries.size());
  if (constant) HYPRE_StructMatrixSetConstantEntries(matrix.get(), 6, entries.data() + 1);
  HYPRE_StructMatrixInitialize(matrix.get());
  if (constant) {
    std::array<double, 6> couplings{};
    couplings.fill(-1.0 / arguments.cells);
    HYPRE_StructMatrixSetConstantValues(matrix.get(), 6, entries.data() + 1, couplings.data());
  }
  std::vector<double> values;
  for (int z = slab.begin; z < slab.end; ++z) {
    values.clear();
    for_cells_of_plane(arguments, z, [&](std::array<int, 3> const& cell) {
      auto const row = row_of(arguments, cell);
      for (HYPRE_Int entry = 0; entry < varying; ++entry) {
        values.push_back(row[static_cast<std::size_t>(kept[static_cast<std::size_t>(entry)])]);
      }
    });
    Box plane = planes(arguments, z, z + 1);
    HYPRE_StructMatrixSetBoxValues(matrix.get(), plane.lower.data(), plane.upper.data(), varying, entries.data(),
                                   values.data());
  }
  HYPRE_StructMatrixAssemble(matrix.get());
  return matrix;
}

Vector make_vector(Grid const& grid, double value) {
  auto vector = make<Vector>(HYPRE_StructVectorCreate, MPI_COMM_WORLD, grid.get());
  HYPRE_StructVectorInitialize(vector.get());
  HYPRE_StructVectorSetConstantValues(vector.get(), value);
  HYPRE_StructVectorAssemble(vector.get());
  return vector;
}

std::vector<double> values_of(Arguments const& arguments, Slab const& slab, Vector const& vector) {
  auto const cells = static_cast<std::size_t>(arguments.cells);
  std::vector<double> values(cells * cells * static_cast<std::size_t>(slab.end - slab.begin));
  Box box = planes(arguments, slab.begin, slab.end);
  HYPRE_StructVectorGetBoxValues(vector.get(), box.lower.data(), box.upper.data(), values.data());
  return values;
}

// The preconditioner is one cycle from zero.
Pfmg make_pfmg(Arguments const& arguments) {
  auto pfmg = make<Pfmg>(HYPRE_StructPFMGCreate, MPI_COMM_WORLD);
  HYPRE_StructPFMGSetMaxIter(pfmg.get(), 1);
  HYPRE_StructPFMGSetTol(pfmg.get(), 0);
  HYPRE_StructPFMGSetZeroGuess(pfmg.get());
  // 2: red-black, in reverse order on the way up; 3: in the same order, which CG tolerates and some of hypre's loops
  // run faster; 1: weighted Jacobi, which unlike red-black works with the Galerkin products that jumps need.
  int const red_black = arguments.storage == "constant" ? 3 : 2;
  int const fastest = arguments.jump == 1 ? red_black : 1;
  HYPRE_StructPFMGSetRelaxType(pfmg.get(), arguments.relax < 0 ? fastest : arguments.relax);
  HYPRE_StructPFMGSetRAPType(pfmg.get(), arguments.rap);
  HYPRE_StructPFMGSetSkipRelax(pfmg.get(), arguments.skip);
  HYPRE_StructPFMGSetNumPreRelax(pfmg.get(), arguments.sweeps);
  HYPRE_StructPFMGSetNumPostRelax(pfmg.get(), arguments.sweeps);
  if (arguments.levels > 0) HYPRE_StructPFMGSetMaxLevels(pfmg.get(), arguments.levels);
  return pfmg;
}

Smg make_smg(Arguments const& arguments) {
  auto smg = make<Smg>(HYPRE_StructSMGCreate, MPI_COMM_WORLD);
  HYPRE_StructSMGSetMaxIter(smg.get(), 1);
  HYPRE_StructSMGSetTol(smg.get(), 0);
  HYPRE_StructSMGSetZeroGuess(smg.get());
  HYPRE_StructSMGSetNumPreRelax(smg.get(), arguments.sweeps);
  HYPRE_StructSMGSetNumPostRelax(smg.get(), arguments.sweeps);
  return smg;
}

Timing solve(Arguments const& arguments) {
  Timing timing;
  Slab const slab(arguments.cells);
  Clock const setting_up;
  auto const grid = make_grid(arguments, slab);
  auto const a = make_matrix(arguments, slab, grid);
  auto const b = make_vector(grid, arguments.right_hand_side());
  auto const x = make_vector(grid, 0);
  Pfmg const pfmg = arguments.method == "pfmg" ? make_pfmg(arguments) : nullptr;
  Smg const smg = arguments.method == "smg" ? make_smg(arguments) : nullptr;
  auto const cg = make<Gradients>(HYPRE_StructPCGCreate, MPI_COMM_WORLD);
  HYPRE_StructPCGSetTol(cg.get(), arguments.tolerance);
  HYPRE_StructPCGSetMaxIter(cg.get(), most_iterations);
  HYPRE_StructPCGSetTwoNorm(cg.get(), 1);
  if (pfmg) HYPRE_StructPCGSetPrecond(cg.get(), HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg.get());
  if (smg) HYPRE_StructPCGSetPrecond(cg.get(), HYPRE_StructSMGSolve, HYPRE_StructSMGSetup, smg.get());
  HYPRE_StructPCGSetup(cg.get(), a.get(), b.get(), x.get());
  timing.setup = setting_up.seconds();
  Clock const solving;
  HYPRE_StructPCGSolve(cg.get(), a.get(), b.get(), x.get());
  timing.solve = solving.seconds();
  HYPRE_Int iterations = 0;
  HYPRE_StructPCGGetNumIterations(cg.get(), &iterations);
  timing.iterations = iterations;
  auto const solution = values_of(arguments, slab, x);
  double const initial = norm_of(values_of(arguments, slab, b));
  HYPRE_StructMatrixMatvec(-1, a.get(), x.get(), 1, b.get());
  timing.reduction = norm_of(values_of(arguments, slab, b)) / initial;
  timing.norm = norm_of(solution);
  timing.maximum = maximum_of(solution);
  return timing;
}

}  // namespace structured

// The interface of sparse matrices, for BoomerAMG.
namespace algebraic {

using Matrix = Owned<HYPRE_IJMatrix, HYPRE_IJMatrixDestroy>;
using Vector = Owned<HYPRE_IJVector, HYPRE_IJVectorDestroy>;
using Gradients = Owned<HYPRE_Solver, HYPRE_ParCSRPCGDestroy>;
using BoomerAmg = Owned<HYPRE_Solver, HYPRE_BoomerAMGDestroy>;

// With slabs, rows in the order of all cells, x fastest, are contiguous on every rank.
struct Rows {
  HYPRE_BigInt begin;
  HYPRE_BigInt end;

  Rows(Arguments const& arguments, Slab const& slab)
      : begin(index(arguments, {0, 0, slab.begin})), end(index(arguments, {0, 0, slab.end})) {}

  static HYPRE_BigInt index(Arguments const& arguments, std::array<int, 3> const& cell) {
    HYPRE_BigInt const cells = arguments.cells;
    return cell[0] + cells * (cell[1] + cells * cell[2]);
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

Matrix make_matrix(Arguments const& arguments, Slab const& slab, Rows const& rows) {
  auto matrix = make<Matrix>(HYPRE_IJMatrixCreate, MPI_COMM_WORLD, rows.begin, rows.end - 1, rows.begin, rows.end - 1);
  HYPRE_IJMatrixSetObjectType(matrix.get(), HYPRE_PARCSR);
  HYPRE_IJMatrixSetRowSizes(matrix.get(), std::vector<HYPRE_Int>(rows.size(), 7).data());
  HYPRE_IJMatrixInitialize(matrix.get());
  std::vector<HYPRE_Int> counts;
  std::vector<HYPRE_BigInt> own;
  std::vector<HYPRE_BigInt> columns;
  std::vector<double> values;
  for (int z = slab.begin; z < slab.end; ++z) {
    counts.clear();
    own.clear();
    columns.clear();
    values.clear();
    for_cells_of_plane(arguments, z, [&](std::array<int, 3> const& cell) {
      auto const row = row_of(arguments, cell);
      auto const before = values.size();
      for (int entry = 0; entry < 7; ++entry) {
        std::array<int, 3> const column = neighbour(cell, entry);
        if (!inside(arguments, column)) continue;
        columns.push_back(Rows::index(arguments, column));
        values.push_back(row[static_cast<std::size_t>(entry)]);
      }
      own.push_back(Rows::index(arguments, cell));
      counts.push_back(static_cast<HYPRE_Int>(values.size() - before));
    });
    HYPRE_IJMatrixSetValues(matrix.get(), static_cast<HYPRE_Int>(own.size()), counts.data(), own.data(), columns.data(),
                            values.data());
  }
  HYPRE_IJMatrixAssemble(matrix.get());
  return matrix;
}

Vector make_vector(Rows const& rows, double value) {
  auto vector = make<Vector>(HYPRE_IJVectorCreate, MPI_COMM_WORLD, rows.begin, rows.end - 1);
  HYPRE_IJVectorSetObjectType(vector.get(), HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(vector.get());
  std::vector<double> const values(rows.size(), value);
  // Without indices: all rows of this rank.
  HYPRE_IJVectorSetValues(vector.get(), static_cast<HYPRE_Int>(rows.size()), nullptr, values.data());
  HYPRE_IJVectorAssemble(vector.get());
  return vector;
}

std::vector<double> values_of(Rows const& rows, Vector const& vector) {
  std::vector<double> values(rows.size());
  HYPRE_IJVectorGetValues(vector.get(), static_cast<HYPRE_Int>(rows.size()), nullptr, values.data());
  return values;
}

template <class Parallel, class Get, class Handle>
Parallel parallel(Get get, Handle handle) {
  void* object = nullptr;
  get(handle, &object);
  return static_cast<Parallel>(object);
}

BoomerAmg make_boomeramg(Arguments const& arguments) {
  auto amg = make<BoomerAmg>(HYPRE_BoomerAMGCreate);
  HYPRE_BoomerAMGSetMaxIter(amg.get(), 1);
  HYPRE_BoomerAMGSetTol(amg.get(), 0);
  HYPRE_BoomerAMGSetCoarsenType(amg.get(), arguments.coarsening);
  HYPRE_BoomerAMGSetInterpType(amg.get(), arguments.interpolation);
  HYPRE_BoomerAMGSetPMaxElmts(amg.get(), arguments.entries);
  HYPRE_BoomerAMGSetStrongThreshold(amg.get(), arguments.strong);
  HYPRE_BoomerAMGSetAggNumLevels(amg.get(), arguments.aggressive);
  HYPRE_BoomerAMGSetNumSweeps(amg.get(), arguments.sweeps);
  // 13 on the way down and its transpose 14 on the way up (l1 Gauss-Seidel) are hypre's default, and symmetric
  // together.
  if (arguments.relax >= 0 && arguments.relax != 13) HYPRE_BoomerAMGSetRelaxType(amg.get(), arguments.relax);
  if (arguments.levels > 0) HYPRE_BoomerAMGSetMaxLevels(amg.get(), arguments.levels);
  return amg;
}

Timing solve(Arguments const& arguments) {
  Timing timing;
  Slab const slab(arguments.cells);
  Rows const rows(arguments, slab);
  Clock const setting_up;
  auto const matrix = make_matrix(arguments, slab, rows);
  auto const right = make_vector(rows, arguments.right_hand_side());
  auto const solution = make_vector(rows, 0);
  auto* const a = parallel<HYPRE_ParCSRMatrix>(HYPRE_IJMatrixGetObject, matrix.get());
  auto* const b = parallel<HYPRE_ParVector>(HYPRE_IJVectorGetObject, right.get());
  auto* const x = parallel<HYPRE_ParVector>(HYPRE_IJVectorGetObject, solution.get());
  auto const amg = make_boomeramg(arguments);
  auto const cg = make<Gradients>(HYPRE_ParCSRPCGCreate, MPI_COMM_WORLD);
  HYPRE_ParCSRPCGSetTol(cg.get(), arguments.tolerance);
  HYPRE_ParCSRPCGSetMaxIter(cg.get(), most_iterations);
  HYPRE_ParCSRPCGSetTwoNorm(cg.get(), 1);
  HYPRE_ParCSRPCGSetPrecond(cg.get(), HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, amg.get());
  HYPRE_ParCSRPCGSetup(cg.get(), a, b, x);
  timing.setup = setting_up.seconds();
  Clock const solving;
  HYPRE_ParCSRPCGSolve(cg.get(), a, b, x);
  timing.solve = solving.seconds();
  HYPRE_Int iterations = 0;
  HYPRE_ParCSRPCGGetNumIterations(cg.get(), &iterations);
  timing.iterations = iterations;
  double const initial = norm_of(values_of(rows, right));
  HYPRE_ParCSRMatrixMatvec(-1, a, x, 1, b);
  timing.reduction = norm_of(values_of(rows, right)) / initial;
  auto const values = values_of(rows, solution);
  timing.norm = norm_of(values);
  timing.maximum = maximum_of(values);
  return timing;
}

}  // namespace algebraic

Timing solve(Arguments const& arguments) {
  Timing timing = arguments.method == "boomeramg" ? algebraic::solve(arguments) : structured::solve(arguments);
  // hypre reports a solve that did not converge as an error.
  HYPRE_Int const error = HYPRE_GetError();
  timing.converged = error == 0;
  if (!timing.converged && !HYPRE_CheckError(error, HYPRE_ERROR_CONV)) throw std::runtime_error("hypre met an error");
  HYPRE_ClearAllErrors();
  return timing;
}

}  // namespace

int main(int count, char** values) {
  Arguments const arguments = parse(count, values);
  MPI_Init(&count, &values);
  HYPRE_Init();
  int status = 1;
  try {
    status = peer::run(
        arguments, [&] { return solve(arguments); },
        [&] {
          return nlohmann::json{{"program", "hypre " HYPRE_RELEASE_VERSION}, {"method", arguments.method}};
        });
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return status;
}
