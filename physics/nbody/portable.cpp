#include "physics/nbody/portable.hpp"

#include <Kokkos_Core.hpp>

namespace halocline::nbody {
namespace {

using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;

/// Calls `visit(dx, dy, dz, distance squared, mass)` for each source that is not where target i is.
template <class Real, class Visit>
KOKKOS_INLINE_FUNCTION void for_each_other(Attraction<Real> const& attraction, Index i, Visit const& visit) {
  Source<Real> const at = attraction.targets[i];
  for (Index j = 0; j < attraction.source_count; ++j) {
    Source<Real> const from = attraction.sources[j];
    Real const dx = from.x - at.x;
    Real const dy = from.y - at.y;
    Real const dz = from.z - at.z;
    Real const distance = dx * dx + dy * dy + dz * dz;
    if (distance != 0) visit(dx, dy, dz, distance, from.mass);
  }
}

template <class Real>
struct Accelerate {
  Attraction<Real> attraction;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Real const softening_squared = attraction.softening * attraction.softening;
    Real x = 0, y = 0, z = 0;
    for_each_other(attraction, i, [&](Real dx, Real dy, Real dz, Real distance, Real mass) {
      Real const inverse = 1 / Kokkos::sqrt(distance + softening_squared);
      Real const weight = mass * (inverse * inverse * inverse);
      x += weight * dx;
      y += weight * dy;
      z += weight * dz;
    });
    attraction.put(i, x, y, z);
  }
};

template <class Real>
struct AddPotential {
  Attraction<Real> attraction;
  Real* potential;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Real const softening_squared = attraction.softening * attraction.softening;
    Real sum = 0;
    for_each_other(attraction, i, [&](Real, Real, Real, Real distance, Real mass) {
      sum += mass / Kokkos::sqrt(distance + softening_squared);
    });
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
