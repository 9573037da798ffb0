#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <type_traits>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A neighbour, named at compile time by its distance in cells along x, y and z. Empty; always passed by value, because
/// a reference to one does not exist in device code.
template <int I, int J = 0, int K = 0>
struct Offset {
  static constexpr int x = I;
  static constexpr int y = J;
  static constexpr int z = K;
};

inline constexpr Offset<0> here{};
inline constexpr Offset<1> east{};           ///< next along +x
inline constexpr Offset<-1> west{};          ///< next along -x
inline constexpr Offset<0, 1> north{};       ///< next along +y
inline constexpr Offset<0, -1> south{};      ///< next along -y
inline constexpr Offset<0, 0, 1> top{};      ///< next along +z
inline constexpr Offset<0, 0, -1> bottom{};  ///< next along -z

/// The neighbour `Distance` cells away along `Axis` (0, 1 or 2), for compile-time loops over a radius.
template <int Axis, int Distance>
inline constexpr Offset<Axis == 0 ? Distance : 0, Axis == 1 ? Distance : 0, Axis == 2 ? Distance : 0> along{};

/// What a functor may read: all cells within `Radius` on the axes (star) or in the cube (box).
enum class ShapeKind { star, box };
struct Shape {
  ShapeKind kind;
  int radius;
  int axes = 0b111;  ///< along which it may read: bit 0 for x, 1 for y, 2 for z
  /// How far it may read along an axis.
  [[nodiscard]] constexpr int reach(int axis) const { return (axes >> axis & 1) != 0 ? radius : 0; }
  /// Dimensions of the smallest space that it needs: its last axis is the last along which it may read.
  [[nodiscard]] constexpr int dimensions() const { return (axes & 4) != 0 ? 3 : (axes & 2) != 0 ? 2 : axes; }
  [[nodiscard]] constexpr bool contains(int i, int j, int k) const {
    auto const within = [this](int d, int axis) { return -reach(axis) <= d && d <= reach(axis); };
    bool const on_axis = (i != 0) + (j != 0) + (k != 0) <= 1;
    return within(i, 0) && within(j, 1) && within(k, 2) && (kind == ShapeKind::box || on_axis);
  }
  /// Whether it contains all offsets of `other`.
  [[nodiscard]] constexpr bool covers(Shape const& other) const {
    bool const wide = reach(0) >= other.reach(0) && reach(1) >= other.reach(1) && reach(2) >= other.reach(2);
    bool const one_axis = (other.axes & (other.axes - 1)) == 0;
    return wide && (kind == ShapeKind::box || other.kind == ShapeKind::star || other.radius == 0 || one_axis);
  }
};
template <int Radius, int Dimensions = 3>
inline constexpr Shape star{ShapeKind::star, Radius, (1 << Dimensions) - 1};
template <int Radius, int Dimensions = 3>
inline constexpr Shape box{ShapeKind::box, Radius, (1 << Dimensions) - 1};
/// All within `Radius` along one axis (0, 1 or 2).
template <int Radius, int Axis>
inline constexpr Shape line{ShapeKind::star, Radius, 1 << Axis};
/// A functor that reads only its own point.
inline constexpr Shape point{ShapeKind::star, 0, 0};

/// What `Functor` may read of its n-th input: `Functor::input_shape(n)` where declared, otherwise `Functor::shape`,
/// which holds for all inputs.
template <class Functor>
[[nodiscard]] constexpr Shape shape_of_input([[maybe_unused]] int n) {
  if constexpr (requires { Functor::input_shape(n); }) {
    return Functor::input_shape(n);
  } else {
    return Functor::shape;
  }
}

/// A shape as a type. It has three plain parameters, since not every device compiler accepts one of class type.
template <ShapeKind Kind, int Radius, int Axes>
struct FixedShape {
  static constexpr Shape shape{Kind, Radius, Axes};
};
/// What `Functor` may read of its N-th input, as a type.
template <class Functor, int N>
using InputShape =
    FixedShape<shape_of_input<Functor>(N).kind, shape_of_input<Functor>(N).radius, shape_of_input<Functor>(N).axes>;

/// Checked by every reader before it reads the neighbour at (I, J, K) of an input of shape `In`.
template <class In, int I, int J, int K>
struct ReadWithinShape {
  static_assert(In::shape.contains(I, J, K), "the functor reads outside its shape (and its input_shape)");
  static constexpr bool value = true;
};

/// Position and time of a point. `coordinates[axis]` is null on a uniform axis; otherwise it holds, by local index, the
/// coordinate of each owned entry of the swept centring, so functors swept over ghosts must not read positions.
template <class Real>
struct Geometry {
  Index first[3] = {0, 0, 0};  ///< global index of the block's owned entry (0, 0, 0)
  Real origin[3] = {0, 0, 0};  ///< coordinate of the entry with global index 0
  Real spacing[3] = {1, 1, 1};
  Real const* coordinates[3] = {nullptr, nullptr, nullptr};
  Real time = 0;
};

/// The point at which a functor is evaluated. Costs nothing where unused.
template <class Real>
class Point {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Point(Geometry<Real> const& geometry, Index i, Index j, Index k)
      : geometry_(geometry), local_{i, j, k} {}
  /// Global index along `axis`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index index(int axis) const { return geometry_.first[axis] + local_[axis]; }
  /// Coordinate along `axis`, in the mesh's unit of length.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real position(int axis) const {
    return geometry_.coordinates[axis] != nullptr
               ? geometry_.coordinates[axis][local_[axis]]
               : geometry_.origin[axis] + geometry_.spacing[axis] * static_cast<Real>(index(axis));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real time() const { return geometry_.time; }

 private:
  Geometry<Real> const& geometry_;
  Index local_[3];
};

/// What a functor returns when it writes several fields or adds to sums: `value[n]` goes to the n-th output, `sum[n]`
/// is added to the n-th sum over the range. A functor with one output and no sum returns a plain Real.
template <class Real, int Outputs, int Sums>
struct Result {
  Real value[Outputs > 0 ? Outputs : 1];
  Real sum[Sums > 0 ? Sums : 1];
  static constexpr int outputs = Outputs;
  static constexpr int sums = Sums;
};

/// Branch-free choice, so that limiters and upwinding keep the loop over x vectorisable.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Real select(bool condition, Real yes, Real no) {
  return condition ? yes : no;
}

namespace kernel {

/// The N-th argument.
template <std::size_t N, class First, class... More>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) pick(First const& first, More const&... more) {
  if constexpr (N == 0) {
    return (first);
  } else {
    return pick<N - 1>(more...);
  }
}

}  // namespace kernel
}  // namespace halocline
