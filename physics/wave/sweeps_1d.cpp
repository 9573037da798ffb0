#include "physics/wave/sweeps.hpp"

namespace halocline {

template class StageSweeps<float, wave::Acceleration<float, 1>, 1>;
template class StageSweeps<double, wave::Acceleration<double, 1>, 1>;

}  // namespace halocline
