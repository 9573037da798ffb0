#include "physics/equations/conservation_law.hpp"
#include "physics/euler/euler.hpp"

template struct halocline::LawParts<halocline::Euler, 3>;
