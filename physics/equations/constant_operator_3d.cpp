#include "physics/equations/constant_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid, ConstantDiffusion<float, 3> const&,
                                                          Regularity);
template std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid, ConstantDiffusion<double, 3> const&,
                                                          Regularity);

}  // namespace halocline
