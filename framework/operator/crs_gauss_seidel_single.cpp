#include "framework/operator/crs_gauss_seidel.hpp"

namespace halocline {

template std::unique_ptr<MatrixSolve> make_crs_gauss_seidel(std::vector<CrsLocalRows<float>>, FieldVector<float> const&,
                                                            int);

}  // namespace halocline
