#include "physics/elasticity/elastic_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_elastic_operator_of<double, 3>(ElasticBody<double> const&);

}  // namespace halocline
