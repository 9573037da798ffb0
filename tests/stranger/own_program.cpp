// An external program on libraries of the framework: exchanges and sweeps a field without any driver.

#include <mpi.h>

#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"

namespace {

using namespace halocline;

/// At a face: the sum of the cells on both sides.
struct SumAcross {
  static constexpr Shape shape = star<1, 1>;

  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    return u[west] + u[here];
  }
};

/// At a cell: the sum of the cell and its two neighbours, from those at its faces.
struct SumOfThree {
  static constexpr Shape shape = star<1, 1>;

  template <class P, class F, class U>
  KOKKOS_FUNCTION double operator()(P const&, F const& at_face, U const& u) const {
    return at_face[here] + at_face[east] - u[here];
  }
};

/// For n cells with value 1 on a periodic line: 3 n.
double total_after_a_sweep(Index cells) {
  StructuredMeshDescription description;
  description.axes = {Axis::uniform(cells, 0, 1)};
  description.periodic = {true, false, false};
  auto const mesh = StructuredMesh::make(description, std::make_shared<Communicator>(MPI_COMM_WORLD));
  Field<double> u(mesh, {.name = "u"});
  Field<double> at_faces(mesh, {.name = "at_faces", .centring = Centring::face_x});
  Field<double> sums(mesh, {.name = "sums"});
  u.fill(1);
  Exchange exchange({&u});
  exchange.exchange({&u});
  for (Block const& block : mesh->blocks()) {
    sweep(execution(block), at_faces.owned(block), Geometry<double>{}, at_faces.view(block), SumAcross{},
          std::as_const(u).view(block));
  }
  Exchange exchange_of_faces({&at_faces});
  exchange_of_faces.exchange({&at_faces});
  double total = 0;
  for (Block const& block : mesh->blocks()) {
    sweep(execution(block), u.owned(block), Geometry<double>{}, sums.view(block), SumOfThree{},
          std::as_const(at_faces).view(block), std::as_const(u).view(block));
    std::vector<double> values(static_cast<std::size_t>(sums.owned(block).size()));
    sums.copy_owned(block, 0, std::as_writable_bytes(std::span(values)));
    for (double const value : values) total += value;
  }
  return mesh->communicator().sum(total);
}

}  // namespace

int main() {
  try {
    Environment const environment;
    double const total = total_after_a_sweep(64);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("%g\n", total);
    return 0;
  } catch (Error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.exit_code());
  }
}
