#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "framework/field/block_view.hpp"
#include "framework/field/field_view.hpp"
#include "framework/kernel/functor_rules.hpp"
#include "framework/kernel/stencil.hpp"

namespace halocline {

/// What a functor sees of one input of shape `In` (a FixedShape): `u[here]`, `u[east]`, … relative to its point, which
/// lies `RowJ` rows and `RowK` planes from `at`. Points of neighbouring rows share `at`, so a value that several of
/// them read has one address. An offset outside the shape does not compile, in this reader and in those of the
/// specialised forms.
template <class Real, class In, int RowJ = 0, int RowK = 0>
struct Reader {
  Real const* at;
  Index row;
  Index plane;

  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION Real operator[](Offset<I, J, K>) const {
    static_assert(ReadWithinShape<In, I, J, K>::value);
    return at[I + (J + RowJ) * row + (K + RowK) * plane];
  }
};

/// The fields that a sweep writes; `value[n]` of the functor's Result goes to `view[n]`.
template <class Real, int Count>
struct Outputs {
  using value_type = Real;
  static constexpr int count = Count;
  BlockView<Real> view[Count];
};

/// Marks a sweep that writes no field, only sums.
struct NoOutputs {
  static constexpr int count = 0;
};
inline constexpr NoOutputs no_outputs{};

/// The same with the ghost records of the fields.
template <class Real, int Count>
struct FieldOutputs : Outputs<Real, Count> {
  GhostRecord* ghosts[Count];
};

namespace kernel {

template <class Real>
[[nodiscard]] BlockView<Real> plain_view(BlockView<Real> view) {
  return view;
}

/// Ghost record of a view; null if it has none.
template <class Real>
[[nodiscard]] auto ghosts_of(FieldView<Real> const& view) {
  return view.ghosts;
}
template <class Real>
[[nodiscard]] typename FieldView<Real>::Record* ghosts_of(BlockView<Real> const&) {
  return nullptr;
}

template <class Real, class... Views>
[[nodiscard]] FieldOutputs<Real, static_cast<int>(sizeof...(Views))> make_outputs(BlockView<Real> const&,
                                                                                  Views const&... views) {
  static_assert((std::is_same_v<BlockView<Real>, decltype(plain_view(views))> && ...),
                "all outputs of a sweep have one precision");
  return {{{plain_view(views)...}}, {ghosts_of(views)...}};
}

}  // namespace kernel

/// `outputs(x, r)`: several outputs of one sweep, in the order of the functor's values.
template <class First, class... More>
[[nodiscard]] auto outputs(First const& first, More const&... more) {
  return kernel::make_outputs(first, first, more...);
}

namespace kernel {

template <class Real>
[[nodiscard]] Outputs<Real, 1> as_outputs(BlockView<Real> view) {
  return {{view}};
}
template <class Real, int Count>
[[nodiscard]] Outputs<Real, Count> as_outputs(Outputs<Real, Count> const& views) {
  return views;
}
[[nodiscard]] constexpr NoOutputs as_outputs(NoOutputs none) { return none; }

/// Lets one class hold several views of one type, distinguished by position.
template <std::size_t Position, class Real>
struct Input {
  BlockView<Real const> view;

  template <class In>
  KOKKOS_FORCEINLINE_FUNCTION Reader<Real, In> reader(Index i, Index j, Index k) const {
    return {view.at(i, j, k), view.row, view.plane};
  }
  template <class In, int RowJ, int RowK>
  KOKKOS_FORCEINLINE_FUNCTION Reader<Real, In, RowJ, RowK> moved_reader(Index n) const {
    return {view.origin + n, view.row, view.plane};
  }
};

template <class Positions, class... Real>
struct InputsAt;

/// The inputs of a sweep as one trivially copyable object that device code can take apart.
template <std::size_t... Position, class... Real>
struct InputsAt<std::index_sequence<Position...>, Real...> : Input<Position, Real>... {
  /// What the functor returns at (i, j, k).
  template <class Functor, class GeometryReal>
  KOKKOS_FORCEINLINE_FUNCTION auto evaluate(Functor const& functor, Geometry<GeometryReal> const& geometry, Index i,
                                            Index j, Index k) const {
    return functor(Point<GeometryReal>(geometry, i, j, k),
                   Input<Position, Real>::template reader<InputShape<Functor, static_cast<int>(Position)>>(i, j, k)...);
  }

  /// The same fields, relative to (i, j, k).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION InputsAt moved([[maybe_unused]] Index i, [[maybe_unused]] Index j,
                                                           [[maybe_unused]] Index k) const {
    return {{{Input<Position, Real>::view.at(i, j, k), Input<Position, Real>::view.row,
              Input<Position, Real>::view.plane}}...};
  }

  /// What the functor returns at `point`, which has index (n, RowJ, RowK) in these fields.
  template <int RowJ, int RowK, class Functor, class GeometryReal>
  KOKKOS_FORCEINLINE_FUNCTION auto evaluate_moved(Functor const& functor, Point<GeometryReal> const& point,
                                                  [[maybe_unused]] Index n) const {
    return functor(
        point,
        Input<Position, Real>::template moved_reader<InputShape<Functor, static_cast<int>(Position)>, RowJ, RowK>(
            n)...);
  }

  /// Whether the field at `memory` is one of the inputs, so that the sweep updates it in place.
  [[nodiscard]] bool contains(void const* memory) const {
    return ((static_cast<void const*>(Input<Position, Real>::view.origin) == memory) || ...);
  }

  /// Calls `visit` with each view.
  template <class Visit>
  [[gnu::always_inline]] inline void for_each(Visit const& visit) const {
    (visit(Input<Position, Real>::view), ...);
  }

  static constexpr int count = static_cast<int>(sizeof...(Real));
  /// Bytes that one point of every input takes.
  static constexpr Index bytes_per_point = (Index{0} + ... + Index{sizeof(Real)});
};

/// The view of the N-th input.
template <std::size_t N, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BlockView<Real const> const& input_at(Input<N, Real> const& input) {
  return input.view;
}

template <class... Real>
using Inputs = InputsAt<std::index_sequence_for<Real...>, std::remove_const_t<Real>...>;

template <class... Real>
[[nodiscard]] Inputs<Real...> as_inputs(BlockView<Real>... views) {
  return {{views}...};
}

/// Splits what a functor returns: a plain value, or a Result.
template <class Returned>
struct Returns {
  using value_type = Returned;
  static constexpr int outputs = 1;
  static constexpr int sums = 0;
  KOKKOS_FORCEINLINE_FUNCTION static Returned value(Returned const& returned, int) { return returned; }
  KOKKOS_FORCEINLINE_FUNCTION static Returned term(Returned const&, int) { return 0; }
};
template <class Real, int OutputCount, int SumCount>
struct Returns<Result<Real, OutputCount, SumCount>> {
  using value_type = Real;
  static constexpr int outputs = OutputCount;
  static constexpr int sums = SumCount;
  KOKKOS_FORCEINLINE_FUNCTION static Real value(Result<Real, OutputCount, SumCount> const& returned, int n) {
    return returned.value[n];
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real term(Result<Real, OutputCount, SumCount> const& returned, int n) {
    return returned.sum[n];
  }
};

/// Whether the shape of every input lies within the functor's shape.
template <class Functor, int InputCount>
[[nodiscard]] constexpr bool input_shapes_fit() {
  for (int n = 0; n < InputCount; ++n) {
    if (!Functor::shape.covers(shape_of_input<Functor>(n))) return false;
  }
  return true;
}

/// Whether a functor declares, by a constant `is_long`, that a point takes it hundreds of operations. Then the host
/// compiles its loop once, since the loop is not memory-bound.
template <class Functor>
[[nodiscard]] constexpr bool is_long_functor() {
  if constexpr (requires { std::bool_constant<Functor::is_long>{}; }) {
    return Functor::is_long;
  } else {
    return false;
  }
}

/// One sweep, ready to run on any backend: everything but the memory for its sums.
template <class GeometryReal, class Functor, class OutputViews, class InputViews>
struct Task {
  static_assert(require_functor<Functor>());
  using Returned = decltype(std::declval<InputViews const&>().evaluate(
      std::declval<Functor const&>(), std::declval<Geometry<GeometryReal> const&>(), Index{}, Index{}, Index{}));
  using Value = typename Returns<Returned>::value_type;
  static constexpr int outputs = Returns<Returned>::outputs;
  static constexpr int sums = Returns<Returned>::sums;
  using FunctorType = Functor;
  using GeometryType = GeometryReal;
  static constexpr Shape shape = Functor::shape;
  static constexpr int radius = shape.radius;
  static constexpr bool is_long = is_long_functor<Functor>();
  /// What the functor may read of its n-th input.
  static constexpr Shape input_shape(int n) { return shape_of_input<Functor>(n); }
  static_assert(input_shapes_fit<Functor, InputViews::count>(), "an input's shape is larger than the functor's");
  static_assert(outputs == OutputViews::count, "the functor writes as many values as the sweep has outputs");

  Geometry<GeometryReal> geometry;
  Functor functor;
  OutputViews out;
  InputViews in;

  /// Evaluates and stores one point; the returned value still holds the terms of the sums.
  KOKKOS_FORCEINLINE_FUNCTION Returned update(Index i, Index j, Index k) const {
    Returned const returned = in.evaluate(functor, geometry, i, j, k);
    if constexpr (outputs > 0) {
      for (int n = 0; n < outputs; ++n) out.view[n](i, j, k) = Returns<Returned>::value(returned, n);
    }
    return returned;
  }
};

}  // namespace kernel
}  // namespace halocline
