#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "framework/kernel/stencil.hpp"
#include "framework/operator/point_unknowns.hpp"

// Operations of a linear operator that solvers need. Each is one functor, so one pass over memory, made from the
// operator's point functor A(point, u, k…). Its inputs are vectors, then the coefficients of A. With several unknowns
// at a point A returns Values, and so do the readers of vectors; the diagonal is then the block of the point.

namespace halocline::stencil_functor {

/// Reads as the vector that is one at the given offset and zero elsewhere: A of it is an entry of the matrix.
template <class Real, int X, int Y, int Z>
struct Unit {
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real operator[](Offset<I, J, K>) const {
    return I == X && J == Y && K == Z ? Real{1} : Real{0};
  }
};

/// The same for several unknowns at a point, of which `Component` is one.
template <class Unknowns, int Component, int X, int Y, int Z>
struct UnitComponent {
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Unknowns operator[](Offset<I, J, K>) const {
    return I == X && J == Y && K == Z ? unit_unknowns<Unknowns>(Component) : Unknowns{};
  }
};

/// The entries of A between the unknowns of a point and those at an offset.
template <class Real, int X, int Y, int Z, class A, class P, class... K>
KOKKOS_FORCEINLINE_FUNCTION auto block_of(A const& a, P const& at, K const&... k) {
  constexpr int count = unknowns_at_point<A>;
  PointBlock<Real, count> block{};
  [&]<int... Column>(std::integer_sequence<int, Column...>) {
    auto const take = [&]<int C>(std::integral_constant<int, C>) {
      Values<Real, count> const column = a(at, UnitComponent<Values<Real, count>, C, X, Y, Z>{}, k...);
      for (int row = 0; row < count; ++row) block.entry[row][C] = column.value[row];
    };
    (take(std::integral_constant<int, Column>()), ...);
  }
  (std::make_integer_sequence<int, count>());
  return block;
}

/// Whether a functor provides its diagonal, or a bound of its row sum. The parameters are the concepts' own: nvcc's
/// front end finds calls on those of an enclosing function, or on what its class' functions return, never valid.
template <class A, class P, class... K>
concept HasDiagonal = requires(A const& a, P const& at, K const&... k) {
  a.diagonal(at, k...);
};
template <class A, class P, class... K>
concept HasRowSum = requires(A const& a, P const& at, K const&... k) {
  a.row_sum(at, k...);
};
/// Whether it provides a bound of all row sums.
template <class A>
concept HasRowSumBound = requires(A const& a) {
  a.row_sum_bound();
};

/// The diagonal entry of the matrix, or the block of a point: `a.diagonal(point, k…)` if the functor provides it.
template <class Real, class A, class P, class... K>
KOKKOS_FORCEINLINE_FUNCTION auto diagonal_of(A const& a, P const& at, K const&... k) {
  if constexpr (HasDiagonal<A, P, K...>) {
    return a.diagonal(at, k...);
  } else if constexpr (unknowns_at_point<A> > 1) {
    return block_of<Real, 0, 0, 0>(a, at, k...);
  } else {
    return a(at, Unit<Real, 0, 0, 0>{}, k...);
  }
}

/// Reads as a vector whose entry at the point itself is zero.
template <class Unknowns, class U>
struct WithoutPoint {
  U const& u;
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION Unknowns operator[](Offset<I, J, K> offset) const {
    if constexpr (I == 0 && J == 0 && K == 0) {
      return Unknowns{};
    } else {
      return u[offset];
    }
  }
};

template <class A, class P, class U, class... K>
concept HasNeighbours = requires(A const& a, P const& at, U const& u, K const&... k) {
  a.neighbours(at, u, k...);
};

/// D u - A u, with the diagonal D: what neighbours contribute to the right-hand side of a point's own equation;
/// `a.neighbours(point, u, k…)` if the functor provides it.
template <class Real, class A, class P, class U, class... K>
KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> neighbours_of(A const& a, P const& at, U const& u, K const&... k) {
  if constexpr (HasNeighbours<A, P, U, K...>) {
    return a.neighbours(at, u, k...);
  } else {
    using Unknowns = PointUnknowns<Real, A>;
    return Unknowns{} - a(at, WithoutPoint<Unknowns, U>{u}, k...);
  }
}

/// The same as a functor with the inputs of A.
template <class Real, class A>
struct Neighbours {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<A>(n); }
  A a;
  template <class P, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> operator()(P const& at, U const& u, K const&... k) const {
    return neighbours_of<Real>(a, at, u, k...);
  }
};

/// The diagonal as a functor with the inputs of A.
template <class Real, class A>
struct DiagonalBesideVector {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<A>(n); }
  A a;
  template <class P, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(P const& at, U const&, K const&... k) const {
    return diagonal_of<Real>(a, at, k...);
  }
};

template <class A, class P, class... K>
concept HasInverse = requires(A const& a, P const& at, K const&... k) {
  a.inverse_diagonal(at, k...);
};

/// D^-1 r. Zero where the diagonal of one unknown is zero: an unknown that nothing determines (the last one of a pure
/// Neumann problem) stays at zero.
template <class Real, class A, class P, class... K>
KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> solve_point(A const& a, P const& at, PointUnknowns<Real, A> const& r,
                                                               K const&... k) {
  if constexpr (HasInverse<A, P, K...>) {
    return r * a.inverse_diagonal(at, k...);
  } else if constexpr (unknowns_at_point<A> == 1) {
    return r * inverse_or_zero(diagonal_of<Real>(a, at, k...));
  } else {
    return divided(Real{1}, r, diagonal_of<Real>(a, at, k...));
  }
}

/// The solution of a point's own equation: what Gauss-Seidel replaces u by.
template <class Real, class A, class P, class B, class U, class... K>
KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> relaxed(A const& a, P const& at, B const& b, U const& u,
                                                           K const&... k) {
  return solve_point<Real>(a, at, b[here] + neighbours_of<Real>(a, at, u, k...), k...);
}

/// Whether A may read the neighbour at (X, Y, Z).
template <class A, int X, int Y, int Z>
inline constexpr bool reads = A::shape.contains(X, Y, Z);

/// Reads as the vector that is one at the point itself and minus one at its neighbours.
template <class Real>
struct Alternating {
  template <int I, int J, int K>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real operator[](Offset<I, J, K>) const {
    return (I + J + K) % 2 == 0 ? Real{1} : Real{-1};
  }
};

/// Sum of the magnitudes of a row, the largest of the point's rows. A functor whose off-diagonal entries all have the
/// sign opposite to the diagonal may declare `neighbours_are_negative`: one evaluation then replaces one for every
/// entry. A functor may also bound the sum itself, by `a.row_sum(point, k…)`.
template <class Real, class A, class P, class... K>
KOKKOS_FORCEINLINE_FUNCTION Real row_sum_of(A const& a, P const& at, K const&... k) {
  if constexpr (HasRowSum<A, P, K...>) {
    return a.row_sum(at, k...);
  } else if constexpr (requires { requires A::neighbours_are_negative && A::shape.radius == 1; }) {
    static_assert(A::shape.kind == ShapeKind::star, "corners would count as the point itself does");
    return a(at, Alternating<Real>{}, k...);
  } else {
    constexpr int radius = A::shape.radius;
    constexpr int width = 2 * radius + 1;
    constexpr int count = unknowns_at_point<A>;
    Real sums[count] = {};
    [&]<int... N>(std::integer_sequence<int, N...>) {
      auto const add = [&]<int X, int Y, int Z>(Offset<X, Y, Z>) {
        if constexpr (reads<A, X, Y, Z> && count == 1) {
          sums[0] += magnitude(a(at, Unit<Real, X, Y, Z>{}, k...));
        } else if constexpr (reads<A, X, Y, Z>) {
          auto const block = block_of<Real, X, Y, Z>(a, at, k...);
          for (int row = 0; row < count; ++row) {
            for (int column = 0; column < count; ++column) sums[row] += magnitude(block.entry[row][column]);
          }
        }
      };
      (add(Offset<N % width - radius, N / width % width - radius, N / (width * width) - radius>{}), ...);
    }
    (std::make_integer_sequence<int, width * width * width>());
    Real largest = sums[0];
    for (int row = 1; row < count; ++row) largest = select(sums[row] > largest, sums[row], largest);
    return largest;
  }
}

/// of_b b + of_product A u, its square and its product with u. For a functor that is long (`is_long`), this is the only
/// operation that evaluates all of it, because each that does takes long to compile: the others are passes behind it.
template <class Real, class A>
struct LongProduct {
  static constexpr bool is_long = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  Real of_b;
  Real of_product;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 2> operator()(P const& at, B const& b, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const y = of_b * b[here] + of_product * a(at, u, k...);
    return {{y}, {product(y, y), product(u[here], y)}};
  }
};

/// u + weight D^-1 r, and the squares of the change and of r
template <class Real, class A>
struct JacobiOfResidual {
  static constexpr bool is_long = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n < 2 ? point : shape_of_input<A>(n - 1); }
  A a;
  Real weight;
  template <class P, class R, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 2> operator()(P const& at, R const& r, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const change = divided(weight, r[here], diagonal_of<Real>(a, at, k...));
    return {{u[here] + change}, {product(change, change), product(r[here], r[here])}};
  }
};

/// d = e d + c D^-1 r and u + d; d is not read if e is zero
template <class Real, class A>
struct ChebyshevOfResidual {
  static constexpr bool is_long = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n < 3 ? point : shape_of_input<A>(n - 2); }
  A a;
  Real direction;
  Real residual;
  template <class P, class R, class U, class D, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 2, 0> operator()(P const& at, R const& r, U const& u,
                                                                                   D const& old, K const&... k) const {
    PointUnknowns<Real, A> const scaled = divided(residual, r[here], diagonal_of<Real>(a, at, k...));
    PointUnknowns<Real, A> const d = direction == Real{0} ? scaled : direction * old[here] + scaled;
    return {{d, u[here] + d}, {}};
  }
};

/// b - A u and its square
template <class Real, class A>
struct Residual {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 1> operator()(P const& at, B const& b, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const r = b[here] - a(at, u, k...);
    return {{r}, {product(r, r)}};
  }
};

/// scale (b - A u) and its square, rounded to single precision
template <class A>
struct RoundedResidual {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  double scale;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<float, A>, 1, 1> operator()(P const& at, B const& b, U const& u,
                                                                                    K const&... k) const {
    PointUnknowns<float, A> const r = rounded<float>(scale * (b[here] - a(at, u, k...)));
    return {{r}, {product(r, r)}};
  }
};

/// The diagonal of A
template <class Real, class A>
struct Diagonal {
  static constexpr bool is_long = kernel::is_long_functor<A>();
  static constexpr bool is_rare = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<A>(n + 1); }
  A a;
  template <class P, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> operator()(P const& at, K const&... k) const {
    if constexpr (unknowns_at_point<A> == 1) {
      return diagonal_of<Real>(a, at, k...);
    } else {
      return diagonal_of<Real>(a, at, k...).diagonal();
    }
  }
};

/// D^-1 r and its product with r
template <class Real, class A>
struct SolvePoint {
  static constexpr bool is_long = kernel::is_long_functor<A>();
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n); }
  A a;
  template <class P, class R, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 1> operator()(P const& at, R const& r,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const z = divided(Real{1}, r[here], diagonal_of<Real>(a, at, k...));
    return {{z}, {product(z, r[here])}};
  }
};

/// Sum of the magnitudes of the entries of a row of A
template <class Real, class A>
struct RowSum {
  static constexpr bool is_long = kernel::is_long_functor<A>();
  static constexpr bool is_rare = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return shape_of_input<A>(n + 1); }
  A a;
  template <class P, class... K>
  KOKKOS_FORCEINLINE_FUNCTION Result<Real, 0, 1> operator()(P const& at, K const&... k) const {
    return {{}, {row_sum_of<Real>(a, at, k...)}};
  }
};

/// u + weight (b - A u) / D, and the squares of the change and of b - A u
template <class Real, class A>
struct JacobiStep {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  Real weight;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 1, 2> operator()(P const& at, B const& b, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const r = b[here] - a(at, u, k...);
    PointUnknowns<Real, A> const change = divided(weight, r, diagonal_of<Real>(a, at, k...));
    return {{u[here] + change}, {product(change, change), product(r, r)}};
  }
};

/// The first Chebyshev step: d = c (b - A u) / D and u + d
template <class Real, class A>
struct ChebyshevStart {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  Real residual;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 2, 0> operator()(P const& at, B const& b, U const& u,
                                                                                   K const&... k) const {
    PointUnknowns<Real, A> const r = b[here] - a(at, u, k...);
    PointUnknowns<Real, A> const d = divided(residual, r, diagonal_of<Real>(a, at, k...));
    return {{d, u[here] + d}, {}};
  }
};

/// The later ones: d = e d + c (b - A u) / D and u + d
template <class Real, class A>
struct ChebyshevStep {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) {
    return n == 1 ? shape_of_input<A>(0) : n < 3 ? point : shape_of_input<A>(n - 2);
  }
  A a;
  Real direction;
  Real residual;
  template <class P, class B, class U, class D, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointResult<PointUnknowns<Real, A>, 2, 0> operator()(P const& at, B const& b, U const& u,
                                                                                   D const& old, K const&... k) const {
    PointUnknowns<Real, A> const r = b[here] - a(at, u, k...);
    PointUnknowns<Real, A> const d = direction * old[here] + divided(residual, r, diagonal_of<Real>(a, at, k...));
    return {{d, u[here] + d}, {}};
  }
};

/// One colour of Gauss-Seidel; several unknowns at a point are solved for together. With radius r of A, r + 1 colours
/// alternate along an axis. For a star the colour follows from the sum of the global indices (red-black for r = 1); for
/// a box every axis has its own colours. For a box with r = 1, colours whose sum is even come first: if corner
/// couplings are weak, that is nearly red-black order, which smooths better than any other order.
template <class Real, class A>
struct ColourRelaxation {
  static constexpr bool is_star = A::shape.kind == ShapeKind::star;
  static constexpr int along_x = A::shape.reach(0) + 1;
  static constexpr int along_y = A::shape.reach(1) + 1;
  static constexpr int along_z = A::shape.reach(2) + 1;
  static constexpr int colours = is_star ? A::shape.radius + 1 : along_x * along_y * along_z;
  static constexpr bool is_small_box =
      !is_star && A::shape.radius == 1 && A::shape.axes == (1 << A::shape.dimensions()) - 1;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n - 1); }
  A a;
  Index colour;
  template <class P, class B, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> operator()(P const& at, B const& b, U const& u,
                                                                K const&... k) const {
    return select(colour_of(at) == colour, relaxed<Real>(a, at, b, u, k...), u[here]);
  }

  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Index colour_of(P const& at) {
    if constexpr (is_star) {
      return (at.index(0) + at.index(1) + at.index(2)) % colours;
    } else if constexpr (is_small_box) {
      Index const sum = at.index(0) + at.index(1) + at.index(2);
      return at.index(1) % along_y + along_y * (at.index(2) % along_z) + colours / 2 * (sum % 2);
    } else {
      return at.index(0) % along_x + along_x * (at.index(1) % along_y + along_y * (at.index(2) % along_z));
    }
  }
};

/// The same in place, for sweep_boxes: points of other colours are left alone.
template <class Real, class A>
struct ColourInPlace : ColourRelaxation<Real, A> {
  template <class P>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_written(P const& at) const {
    return this->colour_of(at) == this->colour;
  }
};

/// u + D^-1 r for the points of a colour
template <class Real, class A>
struct ColourOfResidual {
  static constexpr bool is_long = true;
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n < 2 ? point : shape_of_input<A>(n - 1); }
  A a;
  Index colour;
  template <class P, class R, class U, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> operator()(P const& at, R const& r, U const& u,
                                                                K const&... k) const {
    return select(ColourRelaxation<Real, A>::colour_of(at) == colour, u[here] + solve_point<Real>(a, at, r[here], k...),
                  u[here]);
  }
};

/// The first colour from u = 0: the others become zero. Inputs: b, then coefficients.
template <class Real, class A>
struct ColourRelaxationFromZero {
  static constexpr Shape shape = A::shape;
  static constexpr Shape input_shape(int n) { return n == 0 ? point : shape_of_input<A>(n); }
  A a;
  Index colour;
  template <class P, class B, class... K>
  KOKKOS_FORCEINLINE_FUNCTION PointUnknowns<Real, A> operator()(P const& at, B const& b, K const&... k) const {
    return select(ColourRelaxation<Real, A>::colour_of(at) == colour, solve_point<Real>(a, at, b[here], k...),
                  PointUnknowns<Real, A>{});
  }
};

}  // namespace halocline::stencil_functor
