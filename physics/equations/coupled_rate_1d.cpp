#include "physics/equations/coupled_rate.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_coupled_diffusion<float, 1, 2>(CoupledDescription<2> const&);
template std::unique_ptr<Operator> make_coupled_diffusion<double, 1, 2>(CoupledDescription<2> const&);
template struct equation::CoupledSolve<float, 1, 2>;
template struct equation::CoupledSolve<double, 1, 2>;

}  // namespace halocline
