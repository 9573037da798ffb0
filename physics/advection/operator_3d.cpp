#include "physics/advection/stencil_operator.hpp"

namespace halocline::advection {

template std::unique_ptr<Operator> make_operator_of<float, 3>(Discretisation const&, Rows<float> const&);
template std::unique_ptr<Operator> make_operator_of<double, 3>(Discretisation const&, Rows<double> const&);

}  // namespace halocline::advection
