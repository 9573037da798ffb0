#include "framework/operator/crs_gauss_seidel_prepare.hpp"

namespace halocline {

template void prepare_gauss_seidel(Execution const&, GaussSeidelHandle<double>&, CrsLocalRows<double> const&);

}  // namespace halocline
