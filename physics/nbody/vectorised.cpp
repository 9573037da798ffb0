#include "physics/nbody/vectorised.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

#include "physics/nbody/coincidence.hpp"
#include "physics/nbody/interaction.hpp"

namespace halocline::nbody {
namespace {

/// Registers of targets that share the loads of a source. More would not leave enough registers for what is between.
constexpr int registers_of_targets = register_bytes == 64 ? 2 : 1;

template <class Real>
constexpr int tile = registers_of_targets* lanes<Real>;

template <class Real>
struct AccelerateTile {
  Attraction<Real> attraction;
  bool coincides;

  void operator()(Index n) const {
    Index const first = n * tile<Real>;
    auto const count = static_cast<int>(std::min<Index>(tile<Real>, attraction.target_count - first));
    TargetLanes<Real> targets[registers_of_targets];
    load(targets, first, count);
    if (coincides) {
      feel_all<true>(targets);
    } else {
      feel_all<false>(targets);
    }
    store(targets, first, count);
  }

 private:
  /// Lanes beyond the last target have that target once more.
  void load(TargetLanes<Real>* targets, Index first, int count) const {
    for (int n = 0; n < tile<Real>; ++n) {
      Source<Real> const& at = attraction.targets[first + std::min(n, count - 1)];
      TargetLanes<Real>& to = targets[n / lanes<Real>];
      int const lane = n % lanes<Real>;
      to.x[lane] = at.x;
      to.y[lane] = at.y;
      to.z[lane] = at.z;
    }
  }

  template <bool Coincides>
  void feel_all(TargetLanes<Real>* targets) const {
    TargetLanes<Real> local[registers_of_targets];  // not in memory that others may see: stays in registers
    std::copy_n(targets, registers_of_targets, local);
    Lanes<Real> const softening_squared = broadcast(attraction.softening * attraction.softening);
    for (Index j = 0; j < attraction.source_count; ++j) {
      Source<Real> const& from = attraction.sources[j];
      for (TargetLanes<Real>& one : local) {
        one.template feel<Coincides>(broadcast(from.x), broadcast(from.y), broadcast(from.z), broadcast(from.mass),
                                     softening_squared);
      }
    }
    std::copy_n(local, registers_of_targets, targets);
  }

  void store(TargetLanes<Real> const* targets, Index first, int count) const {
    for (int n = 0; n < count; ++n) {
      TargetLanes<Real> const& from = targets[n / lanes<Real>];
      int const lane = n % lanes<Real>;
      Real const sums[] = {from.sum_x[lane], from.sum_y[lane], from.sum_z[lane]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        auto const value = static_cast<Real>(static_cast<double>(sums[axis]) * ThreeHalves<Real>::scale());
        Real& to = attraction.acceleration[axis][first + n];
        to = attraction.adds ? to + value : value;
      }
    }
  }
};

/// Whether a source that is where a target is needs to be told from the others.
template <class Real>
bool may_coincide(Attraction<Real> const& attraction) {
  Real const safe = safe_mass(attraction.softening);
  return !std::all_of(attraction.sources, attraction.sources + attraction.source_count,
                      [=](Source<Real> const& one) { return std::abs(one.mass) < safe; });
}

}  // namespace

template <class Real>
void vectorised::attract(Execution const& execution, Attraction<Real> const& attraction) {
  Index const tiles = (attraction.target_count + tile<Real> - 1) / tile<Real>;
  Kokkos::parallel_for("halocline attraction",
                       Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, tiles),
                       AccelerateTile<Real>{attraction, may_coincide(attraction)});
}

template void vectorised::attract(Execution const&, Attraction<float> const&);
template void vectorised::attract(Execution const&, Attraction<double> const&);

}  // namespace halocline::nbody
