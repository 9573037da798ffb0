#include "framework/operator/test_problem.hpp"

namespace halocline {

template class StencilOperator<float, test_problem::Diffusion<float>, 3>;
template class StencilOperator<double, test_problem::Diffusion<double>, 3>;

}  // namespace halocline
