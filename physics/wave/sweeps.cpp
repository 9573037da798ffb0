#include "physics/wave/sweeps.hpp"

#include <utility>

namespace halocline::wave {

double cell_volume(StructuredMesh const& mesh) {
  double volume = 1;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) volume *= mesh.axis(axis).spacing();
  return volume;
}

template <class Real>
std::unique_ptr<Sweeps<Real>> make_sweeps(std::shared_ptr<StructuredMesh const> mesh) {
  switch (mesh->dimensions()) {
    case 1:
      return make_sweeps_of<Real, 1>(std::move(mesh));
    case 2:
      return make_sweeps_of<Real, 2>(std::move(mesh));
    default:
      return make_sweeps_of<Real, 3>(std::move(mesh));
  }
}

template std::unique_ptr<Sweeps<float>> make_sweeps<float>(std::shared_ptr<StructuredMesh const>);
template std::unique_ptr<Sweeps<double>> make_sweeps<double>(std::shared_ptr<StructuredMesh const>);

}  // namespace halocline::wave
