#include "physics/equations/conservation_law.hpp"
#include "physics/euler/euler.hpp"

template halocline::StagesOfLaw<double> halocline::LawParts<halocline::Euler, 3>::make_double(
    Options const&, std::shared_ptr<StructuredMesh const> const&, LawWalls const&);
