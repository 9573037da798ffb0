#include "framework/operator/test_problem.hpp"

#include <span>
#include <string>
#include <type_traits>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/array_vector.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/stencil_operator.hpp"

namespace halocline::test_problem {
namespace {

/// shift u - div(k grad u) in the face-coefficient form: k`n`[here] belongs to the face between a
/// cell and the one before it along axis n. Coefficients of axes that the mesh does not have are not read.
template <class Real, int Dimensions>
struct Diffusion {
  static constexpr Shape shape = star<1, Dimensions>;
  Real shift = 0;
  template <class P, class U, class K>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, K const& kx, [[maybe_unused]] K const& ky,
                                  [[maybe_unused]] K const& kz) const {
    Real sum = shift * u[here] + (kx[here] * (u[here] - u[west]) - kx[east] * (u[east] - u[here]));
    if constexpr (Dimensions > 1) sum += ky[here] * (u[here] - u[south]) - ky[north] * (u[north] - u[here]);
    if constexpr (Dimensions > 2) sum += kz[here] * (u[here] - u[bottom]) - kz[top] * (u[top] - u[here]);
    return sum;
  }
};

/// A face's coefficient: between 1 and 1 + contrast, a function of the global index. `cold` walls double it; it is zero
/// at insulated ones.
template <class Real>
struct FaceCoefficient {
  static constexpr Shape shape = point;
  int axis;
  int dimensions;
  Index cells;
  bool periodic;
  Wall wall;
  Real contrast;
  template <class P>
  KOKKOS_FUNCTION Real operator()(P const& at) const {
    if (axis >= dimensions) return Real{0};
    Index const face = at.index(axis);
    Index const wrapped = periodic ? (face + cells) % cells : face;
    Index const mixed = (7 * wrapped + 3 * (axis == 0 ? at.index(1) : at.index(0)) * (periodic ? 0 : 1)) % 11;
    Real const inside = Real{1} + contrast * static_cast<Real>(mixed) / Real{11};
    bool const at_wall = !periodic && (face <= 0 || face >= cells);
    return at_wall ? (wall == Wall::cold ? Real{2} * inside : Real{0}) : inside;
  }
};

template <class Real>
std::shared_ptr<Field<Real> const> make_coefficient(std::shared_ptr<StructuredMesh const> const& mesh, int axis,
                                                    Options const& options) {
  auto field = std::make_shared<Field<Real>>(mesh, FieldDescription{.name = "k", .ghosts = 1});
  bool const exists = axis < mesh->dimensions();
  FaceCoefficient<Real> const coefficient{axis,
                                          mesh->dimensions(),
                                          exists ? options.cells[static_cast<std::size_t>(axis)] : 1,
                                          options.periodic,
                                          options.wall,
                                          static_cast<Real>(options.contrast)};
  for (Block const& block : mesh->blocks()) {
    BlockGeometry<Real> const geometry(*mesh, block, Centring::cell);
    sweep(execution(block), field->with_ghosts(block), geometry.geometry(), field->view(block), coefficient);
  }
  return field;
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_operator_of(std::shared_ptr<StructuredMesh const> const& mesh, Options const& options,
                                           std::vector<IndexRange> const& unknowns) {
  using Made = StencilOperator<Real, Diffusion<Real, Dimensions>, 3>;
  bool const singular = options.shift == 0 && (options.periodic || options.wall == Wall::insulated);
  typename Made::Description::Filling const fill_volumes = [](Vector& volumes) { volumes.fill(1); };
  return std::make_unique<Made>(typename Made::Description{
      .mesh = mesh,
      .functor = {static_cast<Real>(options.shift)},
      .coefficients = {make_coefficient<Real>(mesh, 0, options), make_coefficient<Real>(mesh, 1, options),
                       make_coefficient<Real>(mesh, 2, options)},
      .unknowns = unknowns,
      .null_space_measure = singular ? fill_volumes : nullptr,
      .transport = options.transport});
}

}  // namespace

std::shared_ptr<StructuredMesh const> make_mesh(std::shared_ptr<Communicator> communicator, Options const& options) {
  StructuredMeshDescription description;
  for (Index const cells : options.cells) {
    description.axes.push_back(Axis::uniform(cells, 0, static_cast<double>(cells)));
  }
  if (options.periodic) description.periodic = {true, options.cells.size() > 1, options.cells.size() > 2};
  description.blocks_per_rank = options.blocks_per_rank;
  return StructuredMesh::make(description, std::move(communicator));
}

template <class Real>
std::unique_ptr<Operator> make_operator(std::shared_ptr<StructuredMesh const> const& mesh, Options const& options,
                                        std::vector<IndexRange> const& unknowns) {
  if (mesh->dimensions() == 1) return make_operator_of<Real, 1>(mesh, options, unknowns);
  if (mesh->dimensions() == 2) return make_operator_of<Real, 2>(mesh, options, unknowns);
  return make_operator_of<Real, 3>(mesh, options, unknowns);
}
template std::unique_ptr<Operator> make_operator<float>(std::shared_ptr<StructuredMesh const> const&, Options const&,
                                                        std::vector<IndexRange> const&);
template std::unique_ptr<Operator> make_operator<double>(std::shared_ptr<StructuredMesh const> const&, Options const&,
                                                         std::vector<IndexRange> const&);

template <class Real>
Mesh const& mesh_of(Operator const& a) {
  return as_field_vector<Real>(*a.create_vector()).field().mesh();
}
template Mesh const& mesh_of<float>(Operator const&);
template Mesh const& mesh_of<double>(Operator const&);

template <class Real>
std::vector<Real> values_of(Vector const& x) {
  std::vector<Real> values;
  if (auto const* array = dynamic_cast<ArrayVector<Real> const*>(&x)) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array->values());
    for (std::size_t n = 0; n < host.extent(0); ++n) values.push_back(host(n));
    return values;
  }
  auto const& vector = as_field_vector<Real>(x);
  std::size_t number = 0;
  for (auto const& each : vector.fields()) {
    Field<Real> const& field = *each;
    for (int component = 0; component < field.components(); ++component, ++number) {
      for (Block const& block : field.mesh().blocks()) {
        IndexRange const owned = field.owned(block);
        IndexRange const unknowns = vector.unknowns(block, number);
        std::vector<Real> all(static_cast<std::size_t>(owned.size()));
        field.copy_owned(block, component, std::as_writable_bytes(std::span(all)));
        for (Index k = unknowns.begin[2]; k < unknowns.end[2]; ++k) {
          for (Index j = unknowns.begin[1]; j < unknowns.end[1]; ++j) {
            for (Index i = unknowns.begin[0]; i < unknowns.end[0]; ++i) {
              values.push_back(all[static_cast<std::size_t>(i + owned.end[0] * (j + owned.end[1] * k))]);
            }
          }
        }
      }
    }
  }
  return values;
}

template std::vector<float> values_of<float>(Vector const&);
template std::vector<double> values_of<double>(Vector const&);

void for_each_thread_count([[maybe_unused]] Mesh const& mesh, std::function<void()> const& check) {
  check();
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<Execution, Kokkos::OpenMP>) {
    Execution const all;
    for (int threads = 1; threads <= 3 && threads < all.concurrency(); ++threads) {
      auto const parts =
          Kokkos::Experimental::partition_space(all, std::vector<int>{threads, all.concurrency() - threads});
      for (Block const& block : mesh.blocks()) const_cast<BlockExecution&>(*block.execution).instance = parts[0];
      check();
      for (Block const& block : mesh.blocks()) const_cast<BlockExecution&>(*block.execution).instance = all;
    }
  }
#endif
}

}  // namespace halocline::test_problem
