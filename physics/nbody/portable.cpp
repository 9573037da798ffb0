#include "physics/nbody/portable.hpp"

#include <Kokkos_Core.hpp>

namespace halocline::nbody {
namespace {

using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;

template <class Real>
struct Accelerate {
  Attraction<Real> attraction;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Source<Real> const at = attraction.targets[i];
    Real const softening_squared = attraction.softening * attraction.softening;
    Real x = 0, y = 0, z = 0;
    for (Index j = 0; j < attraction.source_count; ++j) {
      Source<Real> const from = attraction.sources[j];
      Real const dx = from.x - at.x;
      Real const dy = from.y - at.y;
      Real const dz = from.z - at.z;
      Real const distance = dx * dx + dy * dy + dz * dz;
      if (distance == 0) continue;
      Real const inverse = 1 / Kokkos::sqrt(distance + softening_squared);
      Real const weight = from.mass * (inverse * inverse * inverse);
      x += weight * dx;
      y += weight * dy;
      z += weight * dz;
    }
    auto const& [to_x, to_y, to_z] = attraction.acceleration;
    to_x[i] = attraction.adds ? to_x[i] + x : x;
    to_y[i] = attraction.adds ? to_y[i] + y : y;
    to_z[i] = attraction.adds ? to_z[i] + z : z;
  }
};

template <class Real>
struct AddPotential {
  Attraction<Real> attraction;
  Real* potential;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Source<Real> const at = attraction.targets[i];
    Real const softening_squared = attraction.softening * attraction.softening;
    Real sum = 0;
    for (Index j = 0; j < attraction.source_count; ++j) {
      Source<Real> const from = attraction.sources[j];
      Real const dx = from.x - at.x;
      Real const dy = from.y - at.y;
      Real const dz = from.z - at.z;
      Real const distance = dx * dx + dy * dy + dz * dz;
      if (distance != 0) sum += from.mass / Kokkos::sqrt(distance + softening_squared);
    }
    potential[i] -= sum;
  }
};

}  // namespace

template <class Real>
void portable::attract(Execution const& execution, Attraction<Real> const& attraction) {
  Kokkos::parallel_for("halocline attraction", Policy(execution, 0, attraction.target_count),
                       Accelerate<Real>{attraction});
}

template <class Real>
void add_potential(Execution const& execution, Attraction<Real> const& attraction, Real* potential) {
  Kokkos::parallel_for("halocline potential", Policy(execution, 0, attraction.target_count),
                       AddPotential<Real>{attraction, potential});
}

template void portable::attract(Execution const&, Attraction<float> const&);
template void portable::attract(Execution const&, Attraction<double> const&);
template void add_potential(Execution const&, Attraction<float> const&, float*);
template void add_potential(Execution const&, Attraction<double> const&, double*);

}  // namespace halocline::nbody
