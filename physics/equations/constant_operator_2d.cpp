#include "physics/equations/constant_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid, ConstantDiffusion<float, 2> const&,
                                                          Regularity);
template std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid, ConstantDiffusion<double, 2> const&,
                                                          Regularity);

}  // namespace halocline
