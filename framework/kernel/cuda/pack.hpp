#pragma once

namespace halocline::kernel::cuda {

/// What a thread moves at a time: `Count` neighbours along x.
template <class Real, int Count>
struct alignas(sizeof(Real) * Count) Pack {
  Real value[Count];
};

}  // namespace halocline::kernel::cuda
