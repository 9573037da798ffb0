#pragma once

#include <array>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

/// Components of the displacement that the walls hold: bit c of `[axis][side]`, side 0 being the lower wall.
using HeldComponents = std::array<std::array<unsigned, 2>, 3>;

/// A linear elastic body that fills a mesh with two or three dimensions.
template <class Real>
struct ElasticBody {
  std::shared_ptr<StructuredMesh const> mesh;
  /// Lame's coefficients on cells, in force / area, with two layers of ghosts that are zero beyond walls.
  std::shared_ptr<Field<Real> const> lambda, mu;
  HeldComponents held{};
};

/// -div sigma on the nodes, integrated against their basis functions (ElasticForces), as an operator on displacements:
/// fields on nodes with a component for each axis. Held components are no unknowns. Symmetric positive definite if the
/// walls hold the body. It coarsens itself. Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Operator> make_elastic_operator(ElasticBody<Real> const& body);

/// Number of independent translations and linearised rotations that the walls allow: zero if they hold the body.
[[nodiscard]] int free_rigid_motions(int dimensions, std::array<bool, 3> const& periodic, HeldComponents const& held);

/// Where a component has unknowns: all owned nodes but those on walls that hold it. By component, then Block::local.
[[nodiscard]] std::vector<std::vector<IndexRange>> free_nodes(StructuredMesh const& mesh, HeldComponents const& held);

}  // namespace halocline
