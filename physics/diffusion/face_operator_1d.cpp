#include "physics/diffusion/face_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_face_operator<float, 1>(DiffusionGrid, FaceCoefficients<float>, Hold);
template std::unique_ptr<Operator> make_face_operator<double, 1>(DiffusionGrid, FaceCoefficients<double>, Hold);

}  // namespace halocline
