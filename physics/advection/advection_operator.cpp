#include "physics/advection/advection_operator.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline::advection {
namespace {

constexpr char const* weight_names[] = {"diagonal",        "weight of west",   "weight of east", "weight of south",
                                        "weight of north", "weight of bottom", "weight of top"};

template <class Real>
void store(std::vector<Real> const& values, Block const& block, Field<Real>& field) {
  field.set_owned(block, 0, std::as_bytes(std::span(values)));
}

}  // namespace

template <class Real>
Rows<Real> assemble(Discretisation const& discretisation) {
  std::shared_ptr<StructuredMesh const> const& mesh = discretisation.description().mesh;
  auto const make = [&](char const* name) {
    return std::make_shared<Field<Real>>(mesh, FieldDescription{.name = name});
  };
  Rows<Real> rows;
  rows.wall_source = make("wall source");
  for (int n = 0; n < 1 + 2 * mesh->dimensions(); ++n) rows.weights.push_back(make(weight_names[n]));
  for (Block const& block : mesh->blocks()) {
    Extents const first = block.cells.begin;
    Extents const cells = mesh->owned(block, Centring::cell).extents();
    // Values of the owned cells, x fastest.
    std::vector<Real> wall_source(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
    std::vector<std::vector<Real>> weights(rows.weights.size(), wall_source);
    std::size_t cell = 0;
    for (Index k = 0; k < cells[2]; ++k) {
      for (Index j = 0; j < cells[1]; ++j) {
        for (Index i = 0; i < cells[0]; ++i, ++cell) {
          Row const row = discretisation.row({first[0] + i, first[1] + j, first[2] + k});
          wall_source[cell] = static_cast<Real>(row.source);
          for (std::size_t n = 0; n < weights.size(); ++n) weights[n][cell] = static_cast<Real>(row.weights[n]);
          rows.peclet = larger(rows.peclet, row.peclet);
        }
      }
    }
    store(wall_source, block, *rows.wall_source);
    for (std::size_t n = 0; n < weights.size(); ++n) store(weights[n], block, *rows.weights[n]);
  }
  rows.peclet = mesh->communicator().max(rows.peclet);
  return rows;
}

template <class Real>
std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> const& rows) {
  if (discretisation.grid().dimensions() == 1) return make_operator_of<Real, 1>(discretisation, rows);
  if (discretisation.grid().dimensions() == 2) return make_operator_of<Real, 2>(discretisation, rows);
  return make_operator_of<Real, 3>(discretisation, rows);
}

template Rows<float> assemble(Discretisation const&);
template Rows<double> assemble(Discretisation const&);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<float> const&);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<double> const&);

}  // namespace halocline::advection
