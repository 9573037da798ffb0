#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "framework/kernel/backends.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline::kernel {

/// A number that goes with a launch, or that the kernel finds in the device's memory when it runs: what another one has
/// computed by then, and the host need not have seen.
template <class Real>
class LaterScalar {
 public:
  explicit LaterScalar(double const* at) : at_(at) {}  ///< in memory of the device
  KOKKOS_FORCEINLINE_FUNCTION LaterScalar(Real value)
      : value_(value) {}                               // NOLINT(google-explicit-constructor): a number
  KOKKOS_FORCEINLINE_FUNCTION operator Real() const {  // NOLINT(google-explicit-constructor)
    return at_ != nullptr ? static_cast<Real>(*at_) : value_;
  }

 private:
  double const* at_ = nullptr;
  Real value_ = 0;
};

/// A factor of a functor. Hosts wait for nothing that they enqueue: theirs are plain numbers.
template <class Real>
using Scalar = std::conditional_t<is_host<Execution>, Real, LaterScalar<Real>>;

/// A functor with later scalars says what it is now: `bound()` is a copy of it with the numbers themselves. Where
/// kernels run as threads with registers of their own, a thread asks once, before its first point. Looked up at every
/// point, as the stores between them demand, scalars made a star's sweep slower by a third in single precision.
template <class Functor>
concept HasLaterScalars = requires(Functor const& functor) {
  functor.bound();
};

/// How a thread holds its functor.
template <class Functor>
using BoundFunctor = std::conditional_t<HasLaterScalars<Functor>, Functor, Functor const&>;

template <class Functor>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BoundFunctor<Functor> bound(Functor const& functor) {
  if constexpr (HasLaterScalars<Functor>) {
    return functor.bound();
  } else {
    return functor;
  }
}

}  // namespace halocline::kernel
