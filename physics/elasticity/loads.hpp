#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/field/field.hpp"
#include "physics/elasticity/elastic_body.hpp"

// What a deck says about an elastic body's walls and loads.

namespace halocline::elasticity {

/// Declares the sections `force`, `boundary` and `exact`.
void declare_loads(Section& section);
/// Adds a mistake for components and walls that the mesh does not have, components of a wall that are given twice, and
/// bodies that walls do not hold.
void validate_loads(Options const& elasticity, Options const& mesh, Mistakes& mistakes);

[[nodiscard]] HeldComponents held_components(Options const& elasticity, StructuredMesh const& mesh);

/// A component that a wall holds: "west_x", and its nodes by component and Block::local, empty for the other
/// components. Nodes of two walls that hold it belong to the first of them.
struct WallComponent {
  std::string name;
  std::vector<std::vector<IndexRange>> nodes;
};
[[nodiscard]] std::vector<WallComponent> held_walls(StructuredMesh const& mesh, HeldComponents const& held);

/// The displacements that the walls prescribe; zero elsewhere. Throws InputError for a value that is not finite.
template <class Real>
void fill_prescribed(Options const& elasticity, Field<Real>& u);
/// The exact displacement of a deck that gives one. Throws InputError for a value that is not finite.
template <class Real>
void fill_exact(Options const& elasticity, Field<Real>& u);
[[nodiscard]] bool has_exact(Options const& elasticity);
/// The body force and the tractions, as (bi-, tri-)linear functions with the values at nodes, integrated with each
/// node's basis function. Throws InputError for a value that is not finite.
template <class Real>
void fill_loads(Options const& elasticity, Field<Real>& loads);

}  // namespace halocline::elasticity
