#pragma once

#include <memory>

#include "framework/field/field.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/heat/regions.hpp"

namespace halocline::heat {

/// The material in the deck: cell fields with one layer of ghosts.
template <class Real>
struct Material {
  Field<Real> density;
  Field<Real> conductivity;  ///< valid in the ghosts beside other blocks
  FaceMean mean = FaceMean::harmonic;
};

/// \param heat the validated section `heat`. Collective. Throws InputError, naming the position, where its conductivity
/// is not above 0.
template <class Real>
[[nodiscard]] Material<Real> make_material(Options const& heat, std::shared_ptr<StructuredMesh const> const& mesh);

/// Sets the owned cells of `state` to the state of the regions: density times energy. Zero if there are no regions.
template <class Real>
void fill_state(Options const& heat, StructuredMesh const& mesh, Field<Real>& state);

}  // namespace halocline::heat
