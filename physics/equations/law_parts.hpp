#pragma once

#include <memory>

#include "framework/deck/options.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "physics/equations/state_law.hpp"

namespace halocline {

/// The compiled parts of a law on meshes with `Axes` axes. For each number of axes one source of the physics includes
/// conservation_law.hpp and contains `template struct LawParts<Euler, 1>;`, or two sources contain an instantiation of
/// one function each, where both together take long to compile. All other sources include only this file.
template <template <class, int> class Law, int Axes>
struct LawParts {
  template <class Real>
  using Parts = StagesOfLaw<Real>;
  static Parts<float> make_single(Options const& own, std::shared_ptr<StructuredMesh const> const& mesh,
                                  LawWalls const& walls);
  static Parts<double> make_double(Options const& own, std::shared_ptr<StructuredMesh const> const& mesh,
                                   LawWalls const& walls);
};

}  // namespace halocline
