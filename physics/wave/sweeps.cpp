#include "physics/wave/sweeps.hpp"

#include <algorithm>
#include <utility>

namespace halocline::wave {

double cell_volume(StructuredMesh const& mesh) {
  double volume = 1;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) volume *= mesh.axis(axis).spacing();
  return volume;
}

template <class Real>
void SpongeFactors<Real>::set(StructuredMesh const& mesh, Sponge const& sponge, double h) {
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    Axis const& line = mesh.axis(axis);
    auto& factors = factors_[static_cast<std::size_t>(axis)];
    if (factors.data() == nullptr) {
      factors = Kokkos::View<Real*, Memory>("sponge", static_cast<std::size_t>(line.cells()));
    }
    auto const on_host = Kokkos::create_mirror_view(factors);
    for (Index i = 0; i < line.cells(); ++i) {
      double const x = line.centre(i);
      double const inside = std::min(x - line.lower(), line.upper() - x);
      double const depth = mesh.periodic(axis) ? 0 : std::max(0.0, 1 - inside / sponge.width);
      on_host(i) = static_cast<Real>(1 / (1 + h * sponge.rate * depth * depth));
    }
    Kokkos::deep_copy(factors, on_host);
  }
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

template class SpongeFactors<float>;
template class SpongeFactors<double>;
template std::unique_ptr<Sweeps<float>> make_sweeps<float>(std::shared_ptr<StructuredMesh const>);
template std::unique_ptr<Sweeps<double>> make_sweeps<double>(std::shared_ptr<StructuredMesh const>);

}  // namespace halocline::wave
