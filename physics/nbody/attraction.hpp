#pragma once

#include <Kokkos_Array.hpp>
#include <cstddef>
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

/// Some bodies, the targets, and others that act on them, the sources: what is found is a sum over all sources for each
/// target. A pair at distance zero adds nothing, also without softening: the body itself may be among the sources. All
/// arrays lie in the backend's memory, on the device of the execution instance.
template <class AReal>
struct Pairs {
  using Real = AReal;
  Source<Real> const* targets;
  Index target_count;
  Source<Real> const* sources;
  Index source_count;
  Real softening;  ///< a length, 0 or more
  bool adds;       ///< to what is there; otherwise replaces it
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

  KOKKOS_INLINE_FUNCTION void put(Index target, Real const (&sum)[sums]) const {
    Real& to = potential[target];
    to = this->adds ? to - sum[0] : -sum[0];
  }
};

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

}  // namespace halocline::nbody
