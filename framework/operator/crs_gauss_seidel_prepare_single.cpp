#include "framework/operator/crs_gauss_seidel_prepare.hpp"

namespace halocline {

template void prepare_gauss_seidel(Execution const&, GaussSeidelHandle<float>&, CrsLocalRows<float> const&);

}  // namespace halocline
