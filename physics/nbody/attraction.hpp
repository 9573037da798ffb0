#pragma once

#include <Kokkos_Array.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline::nbody {

/// A body as its force on others needs it: where it is and its mass, side by side.
template <class Real>
struct alignas(4 * sizeof(Real)) Source {
  Real x, y, z, mass;
};

/// What of the sources is left out of a sum beside what adds zero by itself.
enum class Omitted { nothing, coincident, self };

/// Some bodies, the targets, and others that act on them, the sources: what is found is a sum over all sources for each
/// target. A body adds nothing to its own sum. Another one in the same place does what the formula says with softening;
/// without it, where the formula has no value, it adds nothing. All arrays lie in the backend's memory, on the device
/// of the execution instance.
template <class AReal>
struct Pairs {
  using Real = AReal;
  Source<Real> const* targets;
  Index target_count;
  Source<Real> const* sources;
  Index source_count;
  Real softening;  ///< a length, 0 or more
  bool adds;       ///< to what is there; otherwise replaces it
  /// The source that the first target is, if targets are sources: target i is source self + i.
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
  /// Whether the term of a source fades as it comes to where the target is, with softening.
  static constexpr bool fades = true;
  Kokkos::Array<Real*, 3> acceleration;  ///< x, y and z of each target

  /// The same for some of the targets.
  [[nodiscard]] Attraction part(Index first, Index count) const {
    Attraction one = *this;
    one.targets += first;
    one.target_count = count;
    one.self += first;
    for (int axis = 0; axis < 3; ++axis) one.acceleration[static_cast<std::size_t>(axis)] += first;
    return one;
  }

  /// The sums of a target have been found.
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

/// The forms of such sums: the portable one, and one with targets in the lanes of vector registers and tiles of targets
/// on the threads, only where kernels run on the host. That of NVIDIA's GPUs: cuda.hpp.
namespace portable {
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);
}  // namespace portable
namespace vectorised {
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction);
}  // namespace vectorised

/// The ways to compute such sums.
enum class Form { portable, vectorised, cuda };
[[nodiscard]] std::string to_string(Form form);
/// Those of this build, the fastest first; the portable one, which is the reference, is always there.
[[nodiscard]] std::vector<Form> forms();

/// Enqueues an Attraction or a Potential on `execution`, whichever device is current. Sums are in the precision of the
/// bodies: their rounding is at most one for each source. The order of each target's sum depends on the form, the
/// numbers of targets and sources and, on GPUs, that of multiprocessors alone, so that the bits repeat. Where the
/// square of a distance overflows or is subnormal, forms may differ: what is found is right, zero, or not finite.
template <class Interaction>
void sum_pairs(Execution const& execution, Interaction const& interaction, Form form = forms().front());

/// Pairs that a thread of a host goes through in some seconds.
inline constexpr Index pairs_of_part = Index{1} << 32U;

/// The same, which a signal that asks for a stop (StopSignals) ends early: on hosts, targets are gone through in parts
/// of about `pairs` for each thread, which changes no bit. Throws StoppedError between two parts, never before the
/// first.
template <class Interaction>
void sum_pairs_until_stopped(Execution const& execution, Interaction const& interaction, Form form,
                             Index pairs = pairs_of_part);

}  // namespace halocline::nbody
