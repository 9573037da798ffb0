#include "physics/advection/advection_operator.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline::advection {
namespace {

constexpr char const* weight_names[] = {"weight of west",  "weight of east",   "weight of south",
                                        "weight of north", "weight of bottom", "weight of top"};

/// Values of the owned cells of a block, x fastest.
template <class Real>
struct Values {
  std::vector<Real> diagonal, wall_source;
  std::array<std::vector<Real>, 6> neighbours;

  Values(std::size_t cells, int dimensions) : diagonal(cells), wall_source(cells) {
    for (std::size_t n = 0; n < 2 * static_cast<std::size_t>(dimensions); ++n) neighbours[n].resize(cells);
  }

  void set(std::size_t cell, Row const& row) {
    diagonal[cell] = static_cast<Real>(row.diagonal);
    wall_source[cell] = static_cast<Real>(row.source);
    for (std::size_t n = 0; n < 6 && !neighbours[n].empty(); ++n) {
      neighbours[n][cell] = static_cast<Real>(row.neighbours[n]);
    }
  }
};

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
  rows.diagonal = make("diagonal");
  rows.wall_source = make("wall source");
  for (std::size_t n = 0; n < 2 * static_cast<std::size_t>(mesh->dimensions()); ++n) {
    rows.neighbours[n] = make(weight_names[n]);
  }
  for (Block const& block : mesh->blocks()) {
    Extents const first = block.cells.begin;
    Extents const cells = mesh->owned(block, Centring::cell).extents();
    Values<Real> values(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]), mesh->dimensions());
    std::size_t cell = 0;
    for (Index k = 0; k < cells[2]; ++k) {
      for (Index j = 0; j < cells[1]; ++j) {
        for (Index i = 0; i < cells[0]; ++i) {
          Row const row = discretisation.row({first[0] + i, first[1] + j, first[2] + k});
          values.set(cell++, row);
          rows.peclet = larger(rows.peclet, row.peclet);
        }
      }
    }
    store(values.diagonal, block, *rows.diagonal);
    store(values.wall_source, block, *rows.wall_source);
    for (std::size_t n = 0; n < 6 && rows.neighbours[n] != nullptr; ++n) {
      store(values.neighbours[n], block, *rows.neighbours[n]);
    }
  }
  rows.peclet = mesh->communicator().max(rows.peclet);
  return rows;
}

template <class Real>
std::unique_ptr<Operator> make_operator(Discretisation const& discretisation, Rows<Real> rows) {
  switch (discretisation.description().mesh->dimensions()) {
    case 1:
      return make_operator_of<Real, 1>(discretisation, std::move(rows));
    case 2:
      return make_operator_of<Real, 2>(discretisation, std::move(rows));
    default:
      return make_operator_of<Real, 3>(discretisation, std::move(rows));
  }
}

template Rows<float> assemble(Discretisation const&);
template Rows<double> assemble(Discretisation const&);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<float>);
template std::unique_ptr<Operator> make_operator(Discretisation const&, Rows<double>);

}  // namespace halocline::advection
