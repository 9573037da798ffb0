#pragma once

#include <memory>

#include "framework/deck/options.hpp"
#include "framework/field/field.hpp"
#include "physics/elasticity/elastic_body.hpp"

namespace halocline::elasticity {

/// What a body in a plane is a part of.
enum class Plane {
  none,    ///< three dimensions
  strain,  ///< a long body: nothing moves across the plane
  stress   ///< a thin plate: no stress across the plane
};
[[nodiscard]] Plane plane_of(Options const& elasticity, int dimensions);

/// A body without its walls, from Young's modulus and Poisson's ratio; for a plate the lambda with which the equations
/// in the plane are the same. Throws InputError for a modulus that is not above 0, and a ratio that is not between -1
/// and 1/2 (for a plate, 1). Collective.
template <class Real>
[[nodiscard]] ElasticBody<Real> make_body(Options const& elasticity, std::shared_ptr<StructuredMesh const> const& mesh);

/// The equivalent stress after von Mises at the centres of cells. Exchanges ghosts of u.
template <class Real>
void find_stress(ElasticBody<Real> const& body, Plane plane, Field<Real>& u, Field<Real>& stress);

}  // namespace halocline::elasticity
