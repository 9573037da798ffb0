#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "physics/equations/transport/discretisation.hpp"

namespace halocline::transport {

/// Declares what all fields of a physics share: the flow and its scheme.
void declare_flow(Section& own);
/// Declares what each field that the flow carries has of its own.
void declare_carried(Section& field);

/// Adds a mistake for coefficients that change with time, a velocity along an axis that the mesh does not have, a
/// diffusivity that the scheme does not allow, and a method that is not stable for a flow.
///
/// \param own        the section of the physics
/// \param fields     the section of each field
/// \param integrator of a deck that chooses none
void validate_transport(Options const& deck, Options const& own, std::vector<Options> const& fields,
                        std::string const& integrator, Mistakes& mistakes);

/// A field's terms in a deck.
template <class Real>
[[nodiscard]] Description describe(Options const& own, Options const& field,
                                   std::shared_ptr<StructuredMesh const> const& mesh);

extern template Description describe<float>(Options const&, Options const&,
                                            std::shared_ptr<StructuredMesh const> const&);
extern template Description describe<double>(Options const&, Options const&,
                                             std::shared_ptr<StructuredMesh const> const&);

}  // namespace halocline::transport
