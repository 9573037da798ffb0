#include "physics/equations/conservation_law.hpp"
#include "physics/euler/euler.hpp"

template halocline::StagesOfLaw<float> halocline::LawParts<halocline::Euler, 3>::make_single(
    Options const&, std::shared_ptr<StructuredMesh const> const&, LawWalls const&);
