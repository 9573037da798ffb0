#include "physics/wave/star_sweeps.hpp"

namespace halocline::wave {

template std::unique_ptr<Sweeps<float>> make_sweeps_of<float, 2>(std::shared_ptr<StructuredMesh const>);
template std::unique_ptr<Sweeps<double>> make_sweeps_of<double, 2>(std::shared_ptr<StructuredMesh const>);

}  // namespace halocline::wave
