#pragma once

namespace halocline::kernel::cuda {

/// A vector load or store of one thread: `Count` neighbours along x.
template <class Real, int Count>
struct alignas(sizeof(Real) * Count) Pack {
  Real value[Count];
};

}  // namespace halocline::kernel::cuda
