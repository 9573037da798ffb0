#include "physics/equations/transport/stencil_operator.hpp"

namespace halocline::transport {

template std::unique_ptr<Operator> make_operator_of<float, 1>(Discretisation const&, Rows<float> const&);
template std::unique_ptr<Operator> make_operator_of<double, 1>(Discretisation const&, Rows<double> const&);

}  // namespace halocline::transport
