#include "physics/equations/transport/rows.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline::transport {
namespace {

constexpr char const* weight_names[] = {"diagonal",        "weight of west",   "weight of east", "weight of south",
                                        "weight of north", "weight of bottom", "weight of top"};

template <class Real>
void store(std::vector<Real> const& values, Block const& block, Field<Real>& field) {
  field.set_owned(block, 0, std::as_bytes(std::span(values)));
}

std::size_t cells_of(StructuredMesh const& mesh, Block const& block) {
  return static_cast<std::size_t>(mesh.owned(block, Centring::cell).size());
}

/// Calls work(n, cell) for the n-th owned cell of a block, x fastest, with its global index.
template <class Work>
void for_cells(StructuredMesh const& mesh, Block const& block, Work const& work) {
  Extents const first = block.cells.begin;
  Extents const cells = mesh.owned(block, Centring::cell).extents();
  std::size_t n = 0;
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i) work(n++, Extents{first[0] + i, first[1] + j, first[2] + k});
    }
  }
}

/// Flow through the faces of a cell is rounded by at most this many epsilon: six faces, each a product with an
/// expression.
constexpr double rounding_of_flow = 64;

}  // namespace

template <class Real>
Rows<Real> assemble(Discretisation const& discretisation) {
  std::shared_ptr<StructuredMesh const> const& mesh = discretisation.description().mesh;
  Rows<Real> rows;
  auto const count = static_cast<std::size_t>(1 + 2 * mesh->dimensions());
  double left_over = 0;
  double flow_through = 0;
  // Indexed by block, then weight, then owned cell.
  std::vector<std::vector<std::vector<Real>>> weights;
  for (Block const& block : mesh->blocks()) {
    auto& of_block = weights.emplace_back(count, std::vector<Real>(cells_of(*mesh, block)));
    for_cells(*mesh, block, [&](std::size_t n, Extents const& cell) {
      Row const row = discretisation.row(cell);
      for (std::size_t w = 0; w < count; ++w) of_block[w][n] = static_cast<Real>(row.weights[w]);
      rows.peclet = larger(rows.peclet, row.peclet);
      rows.rate = larger(rows.rate, row.rate);
      left_over = larger(left_over, std::abs(row.left_over));
      flow_through = larger(flow_through, row.flow_through);
    });
  }
  // One weight at a time, so that only one of them is held both in host memory and in a field.
  for (std::size_t w = 0; w < count; ++w) {
    rows.weights.push_back(std::make_shared<Field<Real>>(mesh, FieldDescription{.name = weight_names[w]}));
    for (Block const& block : mesh->blocks())
      store(std::exchange(weights[block.local][w], {}), block, *rows.weights[w]);
  }
  std::array<double, 4> largest{rows.peclet, rows.rate, left_over, flow_through};
  mesh->communicator().max(largest);
  rows.peclet = largest[0];
  rows.rate = largest[1];
  rows.is_solenoidal = largest[2] <= rounding_of_flow * std::numeric_limits<double>::epsilon() * largest[3];
  return rows;
}

template <class Real>
BoundarySource<Real> wall_source(Discretisation const& discretisation) {
  return BoundarySource<Real>(
      discretisation.grid(), discretisation.description().conditions,
      [&](int axis, int side, Extents const& cell) { return discretisation.wall_weight(axis, side, cell); });
}

template <class Real>
std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> const& rows) {
  if (discretisation.grid().dimensions() == 1) return make_operator_of<Real, 1>(discretisation, rows);
  if (discretisation.grid().dimensions() == 2) return make_operator_of<Real, 2>(discretisation, rows);
  return make_operator_of<Real, 3>(discretisation, rows);
}

template Rows<float> assemble(Discretisation const&);
template Rows<double> assemble(Discretisation const&);
template BoundarySource<float> wall_source(Discretisation const&);
template BoundarySource<double> wall_source(Discretisation const&);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<float> const&);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<double> const&);

}  // namespace halocline::transport
