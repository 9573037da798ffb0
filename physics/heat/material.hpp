#pragma once

#include <memory>

#include "framework/field/field.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/heat/regions.hpp"

namespace halocline::heat {

/// What the deck says of the matter: cell fields with one layer of ghosts.
template <class Real>
struct Material {
  Field<Real> density;
  Field<Real> conductivity;  ///< valid in the ghosts beside other blocks
  FaceMean mean = FaceMean::harmonic;
};

/// \param heat the judged section `heat`. Collective. Throws InputError, naming the place, where its conductivity is
/// not above 0.
template <class Real>
[[nodiscard]] Material<Real> make_material(Options const& heat, std::shared_ptr<StructuredMesh const> const& mesh);

/// Sets the owned cells of `state` to the state of the regions: density times energy. Zero where there are none.
template <class Real>
void fill_state(Options const& heat, StructuredMesh const& mesh, Field<Real>& state);

}  // namespace halocline::heat
