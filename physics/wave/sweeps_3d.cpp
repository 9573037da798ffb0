#include "physics/wave/sweeps.hpp"

namespace halocline {

template class StageSweeps<float, wave::Acceleration<float, 3>, 3>;
template class StageSweeps<double, wave::Acceleration<double, 3>, 3>;

}  // namespace halocline
