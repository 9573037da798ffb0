#include "physics/equations/cell_operator.hpp"

namespace halocline {

template std::unique_ptr<Operator> make_cell_operator(ControlVolumeGrid, CellDiffusion<float, 1> const&,
                                                      std::shared_ptr<Field<float> const>, Regularity);
template std::unique_ptr<Operator> make_cell_operator(ControlVolumeGrid, CellDiffusion<double, 1> const&,
                                                      std::shared_ptr<Field<double> const>, Regularity);

}  // namespace halocline
