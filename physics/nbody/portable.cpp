#include <Kokkos_Core.hpp>

#include "physics/nbody/attraction.hpp"
#include "physics/nbody/coincidence.hpp"

namespace halocline::nbody {
namespace {

/// Adds the term of a source at distance d; `inverse` is 1 / sqrt(|d|^2 + softening^2).
template <class Real>
KOKKOS_INLINE_FUNCTION void add_term(Attraction<Real> const&, Real const (&d)[3], Real inverse, Real mass,
                                     Real (&sum)[3]) {
  Real const weight = mass * (inverse * inverse * inverse);
  for (int axis = 0; axis < 3; ++axis) sum[axis] += weight * d[axis];
}
template <class Real>
KOKKOS_INLINE_FUNCTION void add_term(Potential<Real> const&, Real const (&)[3], Real inverse, Real mass,
                                     Real (&sum)[1]) {
  sum[0] += mass * inverse;
}

template <class Interaction>
struct SumSources {
  using Real = typename Interaction::Real;
  Interaction interaction;
  Omitted omitted;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Real const softening_squared = interaction.softening * interaction.softening;
    Source<Real> const at = interaction.targets[i];
    Real sum[Interaction::sums] = {};
    for (Index j = 0; j < interaction.source_count; ++j) {
      Source<Real> const from = interaction.sources[j];
      Real const d[3] = {from.x - at.x, from.y - at.y, from.z - at.z};
      Real const distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      bool const is_omitted = omitted == Omitted::self ? j == interaction.self + i : distance == 0;
      if (!is_omitted) add_term(interaction, d, 1 / Kokkos::sqrt(distance + softening_squared), from.mass, sum);
    }
    interaction.put(i, sum);
  }
};

}  // namespace

template <class Interaction>
void portable::sum_pairs(Execution const& execution, Interaction const& interaction) {
  bool const fades = Interaction::fades || !is_softened(interaction.softening);
  Omitted const omitted = fades ? Omitted::coincident : Omitted::self;
  Kokkos::parallel_for("halocline interaction",
                       Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, interaction.target_count),
                       SumSources<Interaction>{interaction, omitted});
}

template void portable::sum_pairs(Execution const&, Attraction<float> const&);
template void portable::sum_pairs(Execution const&, Attraction<double> const&);
template void portable::sum_pairs(Execution const&, Potential<float> const&);
template void portable::sum_pairs(Execution const&, Potential<double> const&);

}  // namespace halocline::nbody
