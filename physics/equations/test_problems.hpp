#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/equations/diffusion.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "tests/support/communicator.hpp"

// Problems shared by the tests of this folder.

namespace halocline::test {

/// All ranks of the test, as a communicator for meshes.
inline std::shared_ptr<Communicator> all_ranks() {
  return std::shared_ptr<Communicator>(communicator().split(0, communicator().rank()));
}
/// Each rank alone.
inline std::shared_ptr<Communicator> this_rank() {
  return std::shared_ptr<Communicator>(communicator().split(communicator().rank()));
}

/// Cells whose widths vary smoothly by a factor of about three.
inline Axis stretched_axis(Index cells) {
  std::vector<double> edges;
  for (Index i = 0; i <= cells; ++i) {
    double const s = static_cast<double>(i) / static_cast<double>(cells);
    edges.push_back(s + 0.5 / (2 * std::numbers::pi) * std::sin(2 * std::numbers::pi * s));
  }
  edges.front() = 0;
  edges.back() = 1;
  return Axis::stretched(edges);
}

struct MeshOptions {
  bool stretched = false;
  Periodicity periodic{};
  int blocks_per_rank = 1;
};

inline std::shared_ptr<StructuredMesh const> unit_mesh(std::vector<Index> const& cells, MeshOptions const& options = {},
                                                       std::shared_ptr<Communicator> ranks = all_ranks()) {
  StructuredMeshDescription description;
  for (Index const count : cells) {
    description.axes.push_back(options.stretched ? stretched_axis(count) : Axis::uniform(count, 0, 1));
  }
  description.periodic = options.periodic;
  description.blocks_per_rank = options.blocks_per_rank;
  return StructuredMesh::make(description, std::move(ranks));
}

inline BoundaryConditions all_walls(BoundaryKind kind) { return BoundaryConditions::all({.kind = kind}); }

/// Sets a function of the global index on every cell, including ghosts beside other blocks.
template <class Real, class Function>
Field<Real> cell_field(std::shared_ptr<StructuredMesh const> const& mesh, Function const& function) {
  Field<Real> field(mesh, {.name = "k"});
  for (Block const& block : mesh->blocks()) {
    std::vector<Real> values;
    for (Index k = block.cells.begin[2]; k < block.cells.end[2]; ++k) {
      for (Index j = block.cells.begin[1]; j < block.cells.end[1]; ++j) {
        for (Index i = block.cells.begin[0]; i < block.cells.end[0]; ++i) {
          values.push_back(static_cast<Real>(function(i, j, k)));
        }
      }
    }
    field.set_owned(block, 0, std::as_bytes(std::span(values)));
  }
  Exchange({&field}).exchange({&field});
  return field;
}

inline ConjugateGradients multigrid_cg(double tolerance, MultigridSettings const& settings = {}) {
  return ConjugateGradients({.relative = tolerance, .absolute = 0, .iterations = 100},
                            std::make_unique<Multigrid>(settings));
}

/// Solves A x = b for a random b from a random x.
inline SolveReport solve_random(Operator const& a, double tolerance, MultigridSettings const& settings = {}) {
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  b->randomize(3);
  ConjugateGradients solver = multigrid_cg(tolerance, settings);
  solver.prepare(a);
  return solver.solve(a, *b, *x);
}

}  // namespace halocline::test
