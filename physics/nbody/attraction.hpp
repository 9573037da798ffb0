#pragma once

#include <Kokkos_Array.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline::nbody {

/// The properties of a body that determine its force on others, stored together: position and mass.
template <class Real>
struct alignas(4 * sizeof(Real)) Source {
  Real x, y, z, mass;
};

/// Which sources a sum omits explicitly, in addition to those whose term is zero anyway.
enum class Omitted { nothing, coincident, self };

/// Bodies (targets) and the bodies that act on them (sources); the result is a sum over all sources for each target. A
/// body adds nothing to its own sum. Another body at the same position contributes what the formula gives with
/// softening; without softening the formula is undefined there, and it contributes nothing. All arrays are in the
/// backend's memory, on the device of the execution instance.
template <class AReal>
struct Pairs {
  using Real = AReal;
  Source<Real> const* targets;
  Index target_count;
  Source<Real> const* sources;
  Index source_count;
  Real softening;  ///< a length, 0 or more
  bool adds;       ///< to the existing values; otherwise replaces them
  /// Index of the first target among the sources, if targets are sources: target i is source self + i.
  Index self = nowhere;
  static constexpr Index nowhere = std::numeric_limits<Index>::min() / 2;
};

/// The attraction of the targets by the sources, in units where the gravitational constant is 1:
///
///     a_i = sum over j of m_j (x_j - x_i) / (|x_j - x_i|^2 + softening^2)^(3/2)
///
/// (Aarseth, Gravitational N-Body Simulations, 2003, eq. 1.1, softened as Plummer's sphere).
template <class Real>
struct Attraction : Pairs<Real> {
  static constexpr int sums = 3;
  /// Whether, with softening, the term of a source tends to zero as it approaches the target.
  static constexpr bool fades = true;
  Kokkos::Array<Real*, 3> acceleration;  ///< x, y and z of each target

  /// The same for a subset of the targets.
  [[nodiscard]] Attraction part(Index first, Index count) const {
    Attraction one = *this;
    one.targets += first;
    one.target_count = count;
    one.self += first;
    for (int axis = 0; axis < 3; ++axis) one.acceleration[static_cast<std::size_t>(axis)] += first;
    return one;
  }

  /// Stores the sums of a target.
  KOKKOS_INLINE_FUNCTION void put(Index target, Real const (&sum)[sums]) const {
    for (int axis = 0; axis < 3; ++axis) {
      Real& to = acceleration[static_cast<std::size_t>(axis)][target];
      to = this->adds ? to + sum[axis] : sum[axis];
    }
  }
};

/// The potential at the targets, in the same units:
///
///     phi_i = - sum over j of m_j / (|x_j - x_i|^2 + softening^2)^(1/2)
template <class Real>
struct Potential : Pairs<Real> {
  static constexpr int sums = 1;
  static constexpr bool fades = false;
  Real* potential;  ///< of each target

  [[nodiscard]] Potential part(Index first, Index count) const {
    Potential one = *this;
    one.targets += first;
    one.target_count = count;
    one.self += first;
    one.potential += first;
    return one;
  }

  KOKKOS_INLINE_FUNCTION void put(Index target, Real const (&sum)[sums]) const {
    Real& to = potential[target];
    to = this->adds ? to - sum[0] : -sum[0];
  }
};

/// Implementations of such sums: a portable one, and one for hosts only, with targets in the lanes of vector registers
/// and tiles of targets on the threads. The one for NVIDIA's GPUs is in cuda.hpp.
namespace portable {
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);
}  // namespace portable
namespace vectorised {
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);
}  // namespace vectorised

/// The implementations of such sums.
enum class Form { portable, vectorised, cuda };
[[nodiscard]] std::string to_string(Form form);
/// Those in this build, fastest first; the portable one, the reference, is always among them.
[[nodiscard]] std::vector<Form> forms();

/// Enqueues an Attraction or a Potential on `execution`, whichever device is current. Sums have the precision of the
/// bodies, with at most one rounding per source. The order of summation depends only on the form, the numbers of
/// targets and sources and, on GPUs, the number of multiprocessors, so that results repeat to the bit. Where the square
/// of a distance overflows or is subnormal, forms may differ: the result is right, zero, or not finite.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction, Form form = forms().front());

/// Pairs that one host thread processes in a few seconds.
inline constexpr Index pairs_of_part = Index{1} << 32U;

/// The same, but a signal that requests a stop (StopSignals) ends it early: on hosts, targets are processed in parts of
/// about `pairs` pairs per thread, which changes no bit. Throws StoppedError between two parts, never before the first.
template <class Interaction>
void sum_pairs_until_stopped(Execution const& execution, Interaction const& interaction, Form form,
                             Index pairs = pairs_of_part);

}  // namespace halocline::nbody
