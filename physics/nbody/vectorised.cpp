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

template <class Interaction>
struct SumTile {
  using Real = typename Interaction::Real;
  Interaction interaction;
  bool coincides;

  void operator()(Index n) const {
    Index const first = n * tile<Real>;
    auto const count = static_cast<int>(std::min<Index>(tile<Real>, interaction.target_count - first));
    Targets targets[registers_of_targets];
    load(targets, first, count);
    if (coincides) {
      feel_all<true>(targets);
    } else {
      feel_all<false>(targets);
    }
    store(targets, first, count);
  }

 private:
  using Targets = TargetLanes<Interaction>;

  /// Lanes beyond the last target have that target once more.
  void load(Targets* targets, Index first, int count) const {
    for (int n = 0; n < tile<Real>; ++n) {
      Source<Real> const& at = interaction.targets[first + std::min(n, count - 1)];
      Targets& to = targets[n / lanes<Real>];
      int const lane = n % lanes<Real>;
      to.x[lane] = at.x;
      to.y[lane] = at.y;
      to.z[lane] = at.z;
    }
  }

  template <bool Coincides>
  void feel_all(Targets* targets) const {
    Targets local[registers_of_targets];  // not in memory that others may see: stays in registers
    std::copy_n(targets, registers_of_targets, local);
    Lanes<Real> const softening_squared = broadcast(interaction.softening * interaction.softening);
    for (Index j = 0; j < interaction.source_count; ++j) {
      Source<Real> const& from = interaction.sources[j];
      for (Targets& one : local) {
        one.template feel<Coincides>(broadcast(from.x), broadcast(from.y), broadcast(from.z), broadcast(from.mass),
                                     softening_squared);
      }
    }
    std::copy_n(local, registers_of_targets, targets);
  }

  void store(Targets const* targets, Index first, int count) const {
    constexpr double scale = Term<Interaction>::Power::scale();
    for (int n = 0; n < count; ++n) {
      Real sums[Interaction::sums];
      for (int m = 0; m < Interaction::sums; ++m) {
        Real const sum = targets[n / lanes<Real>].sums[m][n % lanes<Real>];
        sums[m] = static_cast<Real>(static_cast<double>(sum) * scale);
      }
      interaction.put(first + n, sums);
    }
  }
};

/// Whether a source that is where a target is needs to be told from the others.
template <class Interaction>
bool may_coincide(Interaction const& interaction) {
  using Real = typename Interaction::Real;
  if (!Interaction::fades) return true;
  Real const safe = safe_mass(interaction.softening);
  return !std::all_of(interaction.sources, interaction.sources + interaction.source_count,
                      [=](Source<Real> const& one) { return std::abs(one.mass) < safe; });
}

}  // namespace

template <class Interaction>
void vectorised::sum_pairs(Execution const& execution, Interaction const& interaction) {
  constexpr Index targets = tile<typename Interaction::Real>;
  Index const tiles = (interaction.target_count + targets - 1) / targets;
  Kokkos::parallel_for("halocline interaction",
                       Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, tiles),
                       SumTile<Interaction>{interaction, may_coincide(interaction)});
}

template void vectorised::sum_pairs(Execution const&, Attraction<float> const&);
template void vectorised::sum_pairs(Execution const&, Attraction<double> const&);
template void vectorised::sum_pairs(Execution const&, Potential<float> const&);
template void vectorised::sum_pairs(Execution const&, Potential<double> const&);

}  // namespace halocline::nbody
