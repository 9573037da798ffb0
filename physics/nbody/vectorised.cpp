#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

#include "physics/nbody/attraction.hpp"
#include "physics/nbody/coincidence.hpp"
#include "physics/nbody/interaction.hpp"

namespace halocline::nbody {
namespace {

/// Registers of targets that share the loads of a source. More would leave too few registers for intermediate values.
constexpr int registers_of_targets = register_bytes == 64 ? 2 : 1;

template <class Real>
constexpr int tile = registers_of_targets* lanes<Real>;

template <class Interaction>
struct SumTile {
  using Real = typename Interaction::Real;
  Interaction interaction;
  Omitted omitted;

  void operator()(Index n) const {
    Index const first = n * tile<Real>;
    auto const count = static_cast<int>(std::min<Index>(tile<Real>, interaction.target_count - first));
    Targets targets[registers_of_targets];
    load(targets, first, count);
    Index const all = interaction.source_count;
    if (omitted == Omitted::coincident) {
      accumulate<Omitted::coincident>(targets, 0, all, first);
    } else if (omitted == Omitted::nothing) {
      accumulate<Omitted::nothing>(targets, 0, all, first);
    } else {
      Index const begin = std::clamp<Index>(interaction.self + first, 0, all);
      Index const end = std::clamp<Index>(interaction.self + first + count, 0, all);
      accumulate<Omitted::nothing>(targets, 0, begin, first);
      accumulate<Omitted::self>(targets, begin, end, first);
      accumulate<Omitted::nothing>(targets, end, all, first);
    }
    store(targets, first, count);
  }

 private:
  using Targets = TargetLanes<Interaction>;

  /// Lanes beyond the end repeat the last target.
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

  /// A range of the sources.
  template <Omitted omitted_of_some>
  void accumulate(Targets* targets, Index begin, Index end, Index first) const {
    Targets local[registers_of_targets];  // a local copy, so that it stays in registers
    std::copy_n(targets, registers_of_targets, local);
    Lanes<Real> const softening_squared = broadcast(interaction.softening * interaction.softening);
    for (Index j = begin; j < end; ++j) {
      Source<Real> const& from = interaction.sources[j];
      Index self = j - interaction.self - first;
      for (Targets& one : local) {
        one.template accumulate<omitted_of_some>(broadcast(from.x), broadcast(from.y), broadcast(from.z),
                                                 broadcast(from.mass), softening_squared, self);
        self -= lanes<Real>;
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

/// Attractions need to omit sources at a target's position only if their weight may be infinite.
template <class Interaction>
Omitted omitted_in(Interaction const& interaction) {
  using Real = typename Interaction::Real;
  if constexpr (!Interaction::fades) return is_softened(interaction.softening) ? Omitted::self : Omitted::coincident;
  Real const safe = safe_mass(interaction.softening);
  bool const all_safe = std::all_of(interaction.sources, interaction.sources + interaction.source_count,
                                    [=](Source<Real> const& one) { return std::abs(one.mass) < safe; });
  return all_safe ? Omitted::nothing : Omitted::coincident;
}

}  // namespace

template <class Interaction>
void vectorised::sum_pairs(Execution const& execution, Interaction const& interaction) {
  constexpr Index targets = tile<typename Interaction::Real>;
  Index const tiles = (interaction.target_count + targets - 1) / targets;
  Kokkos::parallel_for("halocline interaction",
                       Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, tiles),
                       SumTile<Interaction>{interaction, omitted_in(interaction)});
}

template void vectorised::sum_pairs(Execution const&, Attraction<float> const&);
template void vectorised::sum_pairs(Execution const&, Attraction<double> const&);
template void vectorised::sum_pairs(Execution const&, Potential<float> const&);
template void vectorised::sum_pairs(Execution const&, Potential<double> const&);

}  // namespace halocline::nbody
