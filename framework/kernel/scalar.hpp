#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <type_traits>

#include "framework/kernel/backends.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline::kernel {

/// A scalar that is passed with a launch, or that the kernel reads from device memory when it runs: an earlier kernel
/// computes it, and the host need not wait for it.
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

/// A scalar factor of a functor. Host backends finish work when they enqueue it, so theirs are plain numbers.
template <class Real>
using Scalar = std::conditional_t<is_host<Execution>, Real, LaterScalar<Real>>;

/// The scalar that an earlier kernel leaves there. On host backends that kernel is done.
template <class Real>
[[nodiscard]] Scalar<Real> later_scalar(double const* at) {
  if constexpr (is_host<Execution>) {
    return static_cast<Real>(*at);
  } else {
    return LaterScalar<Real>(at);
  }
}

/// A functor with LaterScalars has `bound()`, which returns a copy that holds the numbers themselves. On devices a
/// thread calls it once, before its first point. Reading scalars from memory at every point, as intervening stores
/// require, made a star's sweep slower by a third in single precision.
template <class Functor>
concept HasLaterScalars = requires(Functor const& functor) {
  { functor.bound() } -> std::same_as<Functor>;
};

/// How a thread stores its functor: a bound copy, or a reference.
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
