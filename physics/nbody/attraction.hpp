#pragma once

#include <Kokkos_Array.hpp>
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

/// The attraction of some bodies, the targets, by others, the sources, in units where the gravitational constant is 1:
///
///     a_i = sum over j of m_j (x_j - x_i) / (|x_j - x_i|^2 + softening^2)^(3/2)
///
/// (Aarseth, Gravitational N-Body Simulations, 2003, eq. 1.1, softened as Plummer's sphere). A pair at distance zero
/// adds nothing, also without softening: the body itself may be among the sources. All arrays lie in the backend's
/// memory, on the device of the execution instance.
template <class Real>
struct Attraction {
  Source<Real> const* targets;
  Index target_count;
  Source<Real> const* sources;
  Index source_count;
  Real softening;                        ///< a length, 0 or more
  Kokkos::Array<Real*, 3> acceleration;  ///< x, y and z of each target
  bool adds;                             ///< to what is there; otherwise replaces it

  /// The acceleration of a target has been found.
  KOKKOS_INLINE_FUNCTION void put(Index target, Real x, Real y, Real z) const {
    auto const& [to_x, to_y, to_z] = acceleration;
    to_x[target] = adds ? to_x[target] + x : x;
    to_y[target] = adds ? to_y[target] + y : y;
    to_z[target] = adds ? to_z[target] + z : z;
  }
};

/// The ways to compute an attraction.
enum class Form { portable, vectorised, cuda };
[[nodiscard]] std::string to_string(Form form);
/// Those of this build, the fastest first; the portable one, which is the reference, is always there.
[[nodiscard]] std::vector<Form> forms();

/// Enqueues an attraction on `execution`, whichever device is current. The order of each target's sum depends on the
/// form, the numbers of targets and sources and, on GPUs, that of multiprocessors alone, so that the bits repeat. Where
/// the square of a distance overflows, forms may differ: a force of zero, or no number.
template <class Real>
void attract(Execution const& execution, Attraction<Real> const& attraction, Form form = forms().front());

/// Potentials of the targets, - sum over j of m_j / sqrt(|x_j - x_i|^2 + softening^2), pairs at distance zero left out.
/// `acceleration` is not used. By the portable form.
template <class Real>
void add_potential(Execution const& execution, Attraction<Real> const& attraction, Real* potential);

}  // namespace halocline::nbody
