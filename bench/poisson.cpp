#include "bench/poisson.hpp"

#include <Kokkos_Core.hpp>
#include <numbers>

#include "bench/measure.hpp"
#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "physics/equations/diffusion.hpp"

namespace halocline::benchmarking {
namespace {

struct Sines {
  BlockView<double> u;
  double width;  ///< of a cell
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const { u(i, j, k) = along(i) * along(j) * along(k); }
  [[nodiscard]] KOKKOS_FUNCTION double along(Index n) const {
    return Kokkos::sin(std::numbers::pi * width * (static_cast<double>(n) + 0.5));
  }
};

}  // namespace

std::unique_ptr<Operator> poisson(Index cells, Precision precision) {
  StructuredMeshDescription description;
  description.axes.assign(3, Axis::uniform(cells, 0, 1));
  DiffusionDescription const diffusion{
      .mesh = StructuredMesh::make(description, std::make_shared<Communicator>(MPI_COMM_WORLD)),
      .conditions = BoundaryConditions::all({.kind = BoundaryKind::dirichlet})};
  if (precision == Precision::single) return make_diffusion<float>(diffusion);
  return make_diffusion<double>(diffusion);
}

std::vector<Index> poisson_cubes(Options const& options) { return sizes(options, 3, {64, 128}, {64, 128, 256, 512}); }

void fill_with_sines(Vector& u) {
  Field<double> const& field = as_field_vector<double>(u).field();
  Block const& block = field.mesh().blocks().front();
  IndexRange const owned = field.owned(block);
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(Policy(execution(block), {0, 0, 0}, {owned.end[0], owned.end[1], owned.end[2]}),
                       Sines{as_field_vector<double>(u).field().view(block), 1 / static_cast<double>(owned.end[0])});
}

void fill_randomly(Vector& u) { u.randomize(fresh_seed()); }

}  // namespace halocline::benchmarking
