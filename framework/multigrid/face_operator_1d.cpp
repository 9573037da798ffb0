#include "framework/multigrid/face_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_face_operator<float, 1>(ControlVolumeGrid, FaceCoefficients<float>, Regularity);
template std::unique_ptr<Operator> make_face_operator<double, 1>(ControlVolumeGrid, FaceCoefficients<double>,
                                                                 Regularity);

}  // namespace halocline
