#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/host.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

/// Where the points of a box lie in an array over it, x fastest. Of plain numbers: a device cannot call std::array.
class PlaceInBox {
 public:
  explicit PlaceInBox(IndexRange const& box)
      : begin_{box.begin[0], box.begin[1], box.begin[2]}, row_(box.extent(0)), plane_(row_ * box.extent(1)) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index i, Index j, Index k) const {
    return (i - begin_[0]) + row_ * (j - begin_[1]) + plane_ * (k - begin_[2]);
  }

 private:
  Index begin_[3];
  Index row_;
  Index plane_;
};

/// Below this many points a parallel loop costs a host more than it brings.
inline constexpr Index smallest_parallel_box = 4096;

/// Calls `functor(i, j, k)` for every point of a box, in any order, on `execution`.
template <class Execution, class Functor>
void for_box(Execution const& execution, IndexRange const& box, Functor const& functor) {
  if (box.empty()) return;
  if (kernel::is_host<Execution> && box.size() < smallest_parallel_box) {
    for (Index k = box.begin[2]; k < box.end[2]; ++k) {
      for (Index j = box.begin[1]; j < box.end[1]; ++j) {
        for (Index i = box.begin[0]; i < box.end[0]; ++i) functor(i, j, k);
      }
    }
    return;
  }
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      "diffusion", Policy(execution, {box.begin[0], box.begin[1], box.begin[2]}, {box.end[0], box.end[1], box.end[2]}),
      functor);
}

/// Sum of what `functor(i, j, k, sum)` adds over a box. Waits for it. For estimates: the last bits depend on the
/// backend.
template <class Execution, class Functor>
[[nodiscard]] double sum_over_box(Execution const& execution, IndexRange const& box, Functor const& functor) {
  double sum = 0;
  if (box.empty()) return sum;
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  Kokkos::parallel_reduce(
      "diffusion", Policy(execution, {box.begin[0], box.begin[1], box.begin[2]}, {box.end[0], box.end[1], box.end[2]}),
      functor, sum);
  return sum;
}

}  // namespace halocline
