#include "physics/equations/conservation_law.hpp"
#include "physics/shallow-water/shallow_water.hpp"

template struct halocline::LawParts<halocline::ShallowWater, 1>;
template struct halocline::LawParts<halocline::ShallowWater, 2>;
