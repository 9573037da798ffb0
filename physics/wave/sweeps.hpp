#pragma once

#include "physics/equations/stage_sweeps.hpp"
#include "physics/wave/star.hpp"

// Sweeps of each number of axes are compiled in a file of their own.

namespace halocline {

extern template class StageSweeps<float, wave::Acceleration<float, 1>, 1>;
extern template class StageSweeps<double, wave::Acceleration<double, 1>, 1>;
extern template class StageSweeps<float, wave::Acceleration<float, 2>, 2>;
extern template class StageSweeps<double, wave::Acceleration<double, 2>, 2>;
extern template class StageSweeps<float, wave::Acceleration<float, 3>, 3>;
extern template class StageSweeps<double, wave::Acceleration<double, 3>, 3>;

}  // namespace halocline
