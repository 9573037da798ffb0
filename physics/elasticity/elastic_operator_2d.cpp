#include "physics/elasticity/elastic_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_elastic_operator_of<float, 2>(ElasticBody<float> const&);
template std::unique_ptr<Operator> make_elastic_operator_of<double, 2>(ElasticBody<double> const&);

}  // namespace halocline
