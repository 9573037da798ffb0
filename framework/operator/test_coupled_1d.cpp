#include "framework/operator/test_coupled.hpp"

namespace halocline::test_coupled {

template std::unique_ptr<Operator> make<float, 1, false>(std::shared_ptr<StructuredMesh const> const&, Problem const&);
template std::unique_ptr<Operator> make<double, 1, false>(std::shared_ptr<StructuredMesh const> const&, Problem const&);

}  // namespace halocline::test_coupled
