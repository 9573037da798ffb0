#include "physics/equations/sponge.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halocline {
namespace {

/// Of the amplitude of a wave that crosses a layer of width 1 twice, the logarithm of what is lost, by the wave number
/// in the layer: k^2 = k0^2 + 2 i k0 s with k0 for four wavelengths and the damping s = rate * depth^exponent, over
/// speed.
double loss(double rate, double exponent) {
  constexpr int points = 400;
  double const k0 = 8 * std::numbers::pi;
  double sum = 0;
  for (int n = 0; n < points; ++n) {
    double const ratio = 2 * rate * std::pow((n + 0.5) / points, exponent) / k0;
    sum += k0 * std::sqrt(0.5 * (std::sqrt(1 + ratio * ratio) - 1));
  }
  return 2 * sum / points;
}

}  // namespace

Section sponge_section() {
  Section sponge("sponge", "Absorbing layer along all faces that are not periodic.");
  sponge.real("width", "Width of the layer; 0: no layer.").at_least(0).defaults_to(0.0);
  sponge
      .real("reflection",
            "Largest fraction of its amplitude with which a wave returns from the layer, if at least four of its "
            "wavelengths along the normal of the face fit into the width, up to 45 degrees from the normal.")
      .at_least(least_reflection)
      .below(1)
      .defaults_to(1e-3);
  return sponge;
}

bool has_sponge(Options const& own) { return own.section("sponge").real("width") > 0; }

// The profile of Collino and Tsogka (Geophysics 66, 2001) has the exponent 2. Where less may return, a higher one
// reflects less at the edge of the layer. So chosen, waves that cross the layer twice and those that it reflects itself
// add up to less than `reflection`, if the crossings alone leave four fifths of it: by integrating the wave equation
// through the layer for 4 to 16 wavelengths and angles up to 45 degrees. Below `least_reflection` no exponent does.
Sponge sponge_for(double width, double reflection, double speed) {
  Sponge sponge{.width = width, .exponent = std::max(2.0, std::log10(1 / reflection) - 1)};
  double const wanted = std::log(1.25 / reflection);
  // Without the change of the wave number the loss is 2 rate / (exponent + 1); it is always less.
  double low = 0.5 * (sponge.exponent + 1) * wanted;
  double high = 2 * low;
  for (int n = 0; n < 60; ++n) {
    double const middle = 0.5 * (low + high);
    (loss(middle, sponge.exponent) < wanted ? low : high) = middle;
  }
  sponge.rate = high * speed / width;
  return sponge;
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
      on_host(i) = static_cast<Real>(1 / (1 + h * sponge.rate * std::pow(depth, sponge.exponent)));
    }
    Kokkos::deep_copy(factors, on_host);
  }
}

template class SpongeFactors<float>;
template class SpongeFactors<double>;

}  // namespace halocline
