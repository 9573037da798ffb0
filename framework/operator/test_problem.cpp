#include "framework/operator/test_problem.hpp"

namespace halocline {

template class StencilOperator<float, test_problem::Diffusion<float, 1>, 3>;
template class StencilOperator<float, test_problem::Diffusion<float, 2>, 3>;
template class StencilOperator<float, test_problem::Diffusion<float, 3>, 3>;
template class StencilOperator<double, test_problem::Diffusion<double, 1>, 3>;
template class StencilOperator<double, test_problem::Diffusion<double, 2>, 3>;
template class StencilOperator<double, test_problem::Diffusion<double, 3>, 3>;

}  // namespace halocline
