#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "framework/field/block_view.hpp"
#include "framework/kernel/host.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launch.hpp"

namespace halocline {

/// View of a packed array over a box, x fastest, addressed by the box's indices.
template <class Real>
[[nodiscard]] BlockView<Real> packed_view(Real* array, IndexRange const& box) {
  Index const row = box.extent(0);
  Index const plane = row * box.extent(1);
  return {array - (box.begin[0] + row * box.begin[1] + plane * box.begin[2]), row, plane};
}

/// to = from, rounded to its precision.
template <class To, class From>
struct CopyPoint {
  BlockView<From const> from;
  BlockView<To> to;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const { to(i, j, k) = static_cast<To>(from(i, j, k)); }
};

/// Copies values along one axis of a block to the backend's memory; entry 0 is the block's first unknown. From double
/// or Index, to float, double or Index.
template <class To, class From>
[[nodiscard]] Kokkos::View<To*, Memory> on_device(std::vector<From> const& values);

/// Below this many points a parallel loop costs a host more than it gains.
inline constexpr Index smallest_parallel_box = 4096;

/// Calls `task(part)` on the host's threads for disjoint parts that cover a box, cut along the last axis with more than
/// one point.
template <class Task>
void for_parts(IndexRange const& box, Task const& task) {
  if (box.empty()) return;
  if (box.size() < smallest_parallel_box) return task(box);
  std::size_t const axis = box.extent(2) > 1 ? 2 : box.extent(1) > 1 ? 1 : 0;
  Index const length = box.extent(static_cast<int>(axis));
  // More parts than threads balance the load when some threads start late.
  Index const parts = std::min<Index>(length, Index{8} * HostExecution().concurrency());
  using Policy = Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for("box loop", Policy(0, parts), [&](Index n) {
    IndexRange part = box;
    part.begin[axis] = box.begin[axis] + length * n / parts;
    part.end[axis] = box.begin[axis] + length * (n + 1) / parts;
    task(part);
  });
  Kokkos::fence("box loop");
}

/// Extents of a device's thread block over a box: long in x for whole lines of memory, with a few rows and planes that
/// share neighbours.
[[nodiscard]] inline std::array<Index, 3> block_of_threads(IndexRange const& box) {
  std::array<Index, 3> const most{32, 4, 2};
  std::array<Index, 3> tile{1, 1, 1};
  Index left = 256;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bool const is_last = axis == 2 || box.extent(2) == 1;
    while (tile[axis] < (is_last ? left : most[axis]) && tile[axis] < box.extent(static_cast<int>(axis))) {
      tile[axis] *= 2;
    }
    left /= tile[axis];
  }
  return tile;
}

/// Calls `functor(i, j, k)` for every point of a box, in any order, on `execution`.
template <class Execution, class Functor>
void for_box(Execution const& execution, IndexRange const& box, Functor const& functor) {
  if (box.empty()) return;
  if constexpr (kernel::is_host<Execution>) {
    for_parts(box, [&](IndexRange const& part) {
      for (Index k = part.begin[2]; k < part.end[2]; ++k) {
        for (Index j = part.begin[1]; j < part.end[1]; ++j) {
          for (Index i = part.begin[0]; i < part.end[0]; ++i) functor(i, j, k);
        }
      }
    });
  } else {
    using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                         Kokkos::IndexType<Index>>;
    auto const tile = block_of_threads(box);
    Kokkos::parallel_for("box loop",
                         launched_at_once(Policy(execution, {box.begin[0], box.begin[1], box.begin[2]},
                                                 {box.end[0], box.end[1], box.end[2]}, {tile[0], tile[1], tile[2]})),
                         functor);
  }
}

/// Disjoint boxes whose points are numbered consecutively, so that a device handles all of them in one launch.
class NumberedBoxes {
 public:
  static constexpr std::size_t most = 6;
  /// `boxes`: none empty. Throws DefectError for more than six, the number of boxes in the shell around an inner box.
  explicit NumberedBoxes(std::vector<IndexRange> const& boxes) {
    if (boxes.size() > most) throw DefectError("a loop over more than six boxes");
    for (IndexRange const& box : boxes) {
      for (std::size_t a = 0; a < 3; ++a) begin_[count_][a] = box.begin[a];
      row_[count_] = box.extent(0);
      plane_[count_] = box.extent(0) * box.extent(1);
      size_ += box.size();
      end_[count_++] = size_;
    }
  }
  [[nodiscard]] Index size() const { return size_; }

  /// Calls `functor(i, j, k)` for point `n`.
  template <class Functor>
  KOKKOS_FORCEINLINE_FUNCTION void visit(Index n, Functor const& functor) const {
    int box = 0;
    while (n >= end_[box]) ++box;
    Index const rest = n - (box > 0 ? end_[box - 1] : 0);
    // A 64-bit division takes a device several times as long.
    if (size_ < Index{1} << 32U) {
      visit_in(box, static_cast<unsigned>(rest), functor);
    } else {
      visit_in(box, rest, functor);
    }
  }

 private:
  template <class Number, class Functor>
  KOKKOS_FORCEINLINE_FUNCTION void visit_in(int box, Number rest, Functor const& functor) const {
    auto const plane_size = static_cast<Number>(plane_[box]);
    auto const row_size = static_cast<Number>(row_[box]);
    Number const plane = rest / plane_size;
    Number const in_plane = rest - plane * plane_size;
    Number const row = in_plane / row_size;
    functor(begin_[box][0] + static_cast<Index>(in_plane - row * row_size), begin_[box][1] + static_cast<Index>(row),
            begin_[box][2] + static_cast<Index>(plane));
  }

  Index begin_[most][3] = {};
  Index row_[most] = {};    ///< points of a row …
  Index plane_[most] = {};  ///< … and of a plane
  Index end_[most] = {};    ///< number of the first point behind the box
  Index size_ = 0;
  int count_ = 0;
};

template <class Functor>
struct VisitBoxes {
  NumberedBoxes boxes;
  Functor functor;
  KOKKOS_FUNCTION void operator()(Index n) const { boxes.visit(n, functor); }
};

/// Calls `functor(i, j, k)` for every point of some boxes, in any order, on `execution`.
template <class Execution, class Functor>
void for_boxes(Execution const& execution, std::vector<IndexRange> const& boxes, Functor const& functor) {
  NumberedBoxes const numbered(boxes);
  if (numbered.size() == 0) return;
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for("box loop", launched_at_once(Policy(execution, 0, numbered.size())),
                       VisitBoxes<Functor>{numbered, functor});
}

/// Sums what `functor(i, j, k, sum)` adds to `sum` over a box, and waits. For estimates only: the last bits depend on
/// the backend.
template <class Execution, class Functor>
[[nodiscard]] double sum_over_box(Execution const& execution, IndexRange const& box, Functor const& functor) {
  double sum = 0;
  if (box.empty()) return sum;
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  Kokkos::parallel_reduce(
      "box loop", Policy(execution, {box.begin[0], box.begin[1], box.begin[2]}, {box.end[0], box.end[1], box.end[2]}),
      functor, sum);
  return sum;
}

}  // namespace halocline
