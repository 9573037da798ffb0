#include "physics/wave/sweeps.hpp"

namespace halocline {

template class StageSweeps<float, wave::Acceleration<float, 2>, 2>;
template class StageSweeps<double, wave::Acceleration<double, 2>, 2>;

}  // namespace halocline
