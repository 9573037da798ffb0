#include "framework/multigrid/face_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_face_operator<float, 3>(ControlVolumeGrid, FaceCoefficients<float>, Regularity);
template std::unique_ptr<Operator> make_face_operator<double, 3>(ControlVolumeGrid, FaceCoefficients<double>,
                                                                 Regularity);
template std::unique_ptr<Coarsening> coarsen_faces<float, 3>(ControlVolumeGrid const&,
                                                             std::shared_ptr<FaceCoefficients<float> const> const&,
                                                             Operator const&);
template std::unique_ptr<Coarsening> coarsen_faces<double, 3>(ControlVolumeGrid const&,
                                                              std::shared_ptr<FaceCoefficients<double> const> const&,
                                                              Operator const&);

}  // namespace halocline
