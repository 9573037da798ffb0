#pragma once

#include <vector>

#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/sweep.hpp"

namespace halocline {

namespace kernel {

template <class Task>
struct SweepPoints {
  Task task;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    using At = Point<typename Task::GeometryType>;
    if constexpr (requires(typename Task::FunctorType const& functor, At const& at) { functor.is_written(at); }) {
      if (!task.functor.is_written(At(task.geometry, i, j, k))) return;
    }
    task.update(i, j, k);
  }
};

}  // namespace kernel

/// As `sweep`, over several disjoint boxes of a block in one launch, point by point: for thin boxes, such as a shell,
/// and for functors that read other memory than their inputs, such as that of another mesh. Where a functor has
/// `is_written(point)`, only the points for which that is true are. Throws DefectError for more than six boxes.
template <class Execution, class GeometryReal, class OutputViews, class Functor, class... InputViews>
void sweep_boxes(Execution const& execution, std::vector<IndexRange> const& boxes,
                 Geometry<GeometryReal> const& geometry, OutputViews const& out, Functor const& functor,
                 InputViews const&... in) {
  auto const task = kernel::make_task(geometry, out, functor, in...);
  static_assert(decltype(task)::sums == 0, "a functor with sums needs sweep_reduce");
  auto const outputs = kernel::records_of_outputs(out);
  for (IndexRange const& box : boxes) {
    kernel::check_reads<Functor>(box, in...);
    kernel::require_room(box, typeid(Functor), outputs);
  }
  kernel::SweepPoints<std::remove_const_t<decltype(task)>> const points{task};
  if (boxes.size() == 1) {
    for_box(execution, boxes.front(), points);
  } else {
    for_boxes(execution, boxes, points);
  }
  for (IndexRange const& box : boxes) kernel::note_writes(box, typeid(Functor), outputs);
}

/// A functor without inputs from `value(i, j, k)`, in local indices, which may read any memory.
template <class Value>
struct ValuesAtIndices {
  static constexpr Shape shape = point;
  Value value;
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at) const {
    return value(at.index(0), at.index(1), at.index(2));
  }
};

/// Sets the points of some boxes to `value(i, j, k)`, in one launch, and records that like a sweep.
template <class Execution, class Real, class Value>
void set_values(Execution const& execution, std::vector<IndexRange> const& boxes, FieldView<Real> const& out,
                Value const& value) {
  sweep_boxes(execution, boxes, Geometry<Real>{}, out, ValuesAtIndices<Value>{value});
}
template <class Execution, class Real, class Value>
void set_values(Execution const& execution, IndexRange const& box, FieldView<Real> const& out, Value const& value) {
  set_values(execution, std::vector<IndexRange>{box}, out, value);
}

/// Reads values, converted to another precision.
template <class To, class From>
struct ConvertedValues {
  BlockView<From const> from;
  KOKKOS_FORCEINLINE_FUNCTION To operator()(Index i, Index j, Index k) const { return static_cast<To>(from(i, j, k)); }
};

}  // namespace halocline
