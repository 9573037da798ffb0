#include "physics/elasticity/elastic_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_elastic_operator_of<float, 3>(ElasticBody<float> const&);

}  // namespace halocline
