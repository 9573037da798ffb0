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
  LaterScalar(Real value) : value_(value) {}           // NOLINT(google-explicit-constructor): as a number is
  explicit LaterScalar(double const* at) : at_(at) {}  ///< in memory of the device
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

}  // namespace halocline::kernel
