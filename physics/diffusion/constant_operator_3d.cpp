#include "physics/diffusion/constant_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_constant_operator(DiffusionGrid, ConstantDiffusion<float, 3> const&, Hold);
template std::unique_ptr<Operator> make_constant_operator(DiffusionGrid, ConstantDiffusion<double, 3> const&, Hold);

}  // namespace halocline
