#pragma once

#include <cstdint>

#include "framework/kernel/cuda/pack.hpp"
#include "framework/kernel/stencil.hpp"

namespace halocline::kernel::cuda {

/// Loads a pack from shared memory at once: the compiler would load the requested entries one by one, each at the cost
/// of a whole pack. `address` must be defined only after the wait, so that no load is moved ahead of it.
template <class Real, int Count>
[[nodiscard]] __device__ __forceinline__ Pack<Real, Count> load_pack(std::uint32_t address) {
  Pack<Real, Count> pack;
  static_assert(sizeof(Real) == 8 || sizeof(Real) == 4);
  if constexpr (sizeof(Real) == 8) {
#pragma unroll
    for (int n = 0; n < Count; n += 2) {
      asm("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(pack.value[n]), "=d"(pack.value[n + 1]) : "r"(address + n * 8));
    }
  } else if constexpr (Count == 2) {
    asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(pack.value[0]), "=f"(pack.value[1]) : "r"(address));
  } else {
    asm("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(pack.value[0]), "=f"(pack.value[1]), "=f"(pack.value[2]), "=f"(pack.value[3])
        : "r"(address));
  }
  return pack;
}

[[nodiscard]] __device__ __forceinline__ unsigned low_bits(double value) {
  return static_cast<unsigned>(__double2loint(value));
}
[[nodiscard]] __device__ __forceinline__ unsigned low_bits(float value) { return __float_as_uint(value); }

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int floor_divide(int a, int b) {
  return (a >= 0 ? a : a - b + 1) / b;
}

// A window holds one input's values around the points of a thread (`Width` along x by `Rows` along y) while the thread
// moves along the slowest axis. `Reach`: the largest distance read along an axis. `advance` takes the shared-memory
// address of the newly arrived values for its first point; `centre` loads the thread's own plane; `retire` is called
// after that plane has been evaluated. All members are initialised, because the compiler treats uninitialised values
// that it moves as undefined.

/// In 3D one plane arrives at a time. For a star, the values of the planes behind the thread's own stay in registers.
template <class Real, int Width, int Rows, int Reach, bool Star>
class PlaneWindow {
 public:
  /// `pitch`: entries per row of a plane.
  __device__ __forceinline__ explicit PlaneWindow(int pitch) : pitch_(pitch * static_cast<int>(sizeof(Real))) {}

  __device__ __forceinline__ void advance(std::uint32_t plane) {
#pragma unroll
    for (int n = 0; n + 1 < depth; ++n) plane_[n] = plane_[n + 1];
    plane_[depth - 1] = plane;
  }

  __device__ __forceinline__ void centre() {
    if constexpr (Star) {
#pragma unroll
      for (int row = 0; row < Rows; ++row) own_[row] = load(plane_[0], 0, row);
    }
  }

  /// A number that depends on everything that `centre` has loaded.
  [[nodiscard]] __device__ __forceinline__ unsigned loaded() const {
    unsigned bits = 0;
    if constexpr (Star) {
#pragma unroll
      for (int row = 0; row < Rows; ++row) {
        // One value per load: a load reads 16 bytes at most.
#pragma unroll
        for (int x = 0; x < Width; x += 16 / static_cast<int>(sizeof(Real))) bits ^= low_bits(own_[row].value[x]);
      }
    }
    return bits;
  }

  __device__ __forceinline__ void retire() {
    if constexpr (behind > 0) {
#pragma unroll
      for (int row = 0; row < Rows; ++row) {
#pragma unroll
        for (int n = 0; n + 1 < behind; ++n) column_[n][row] = column_[n + 1][row];
        column_[behind - 1][row] = own_[row];
      }
    }
  }

  /// The value at (X, Y) from the thread's first point, K planes ahead.
  template <int X, int Y, int K>
  [[nodiscard]] __device__ __forceinline__ Real get() const {
    constexpr bool own = 0 <= X && X < Width && 0 <= Y && Y < Rows;
    if constexpr (Star && K < 0) {
      static_assert(own, "outside of the star");
      return column_[K + behind][Y].value[X];
    } else if constexpr (Star && K == 0 && own) {
      return own_[Y].value[X];
    } else {
      constexpr int pack = floor_divide(X, Width);
      return load(plane_[Star ? K : K + Reach], pack, Y).value[X - pack * Width];
    }
  }

 private:
  static constexpr int behind = Star ? Reach : 0;
  static constexpr int depth = Star ? Reach + 1 : 2 * Reach + 1;
  using Values = Pack<Real, Width>;
  [[nodiscard]] __device__ __forceinline__ Values load(std::uint32_t plane, int pack, int row) const {
    return load_pack<Real, Width>(plane +
                                  static_cast<std::uint32_t>(row * pitch_ + pack * static_cast<int>(sizeof(Values))));
  }

  int pitch_;  ///< bytes
  std::uint32_t plane_[depth] = {};
  Values own_[Star ? Rows : 1] = {};
  Values column_[behind > 0 ? behind : 1][Rows] = {};
};

/// In 2D `Rows` rows arrive at a time; as Reach <= Rows, the arrivals before and after hold all neighbours.
template <class Real, int Width, int Rows, int Reach>
class RowWindow {
  static_assert(Reach <= Rows);

 public:
  __device__ __forceinline__ explicit RowWindow(int pitch) : pitch_(pitch * static_cast<int>(sizeof(Real))) {}

  __device__ __forceinline__ void advance(std::uint32_t rows) {
#pragma unroll
    for (int n = 0; n + 1 < depth; ++n) rows_[n] = rows_[n + 1];
    rows_[depth - 1] = rows;
  }
  __device__ __forceinline__ void centre() {}
  [[nodiscard]] __device__ __forceinline__ unsigned loaded() const { return 0; }
  __device__ __forceinline__ void retire() {}

  /// The value at (X, Y) from the thread's first point.
  template <int X, int Y>
  [[nodiscard]] __device__ __forceinline__ Real get() const {
    constexpr int pack = floor_divide(X, Width);
    constexpr int step = floor_divide(Y, Rows);
    constexpr int pack_bytes = Width * static_cast<int>(sizeof(Real));
    std::uint32_t const at =
        rows_[step + depth / 2] + static_cast<std::uint32_t>((Y - step * Rows) * pitch_ + pack * pack_bytes);
    return load_pack<Real, Width>(at).value[X - pack * Width];
  }

 private:
  static constexpr int depth = Reach > 0 ? 3 : 1;
  int pitch_;  ///< bytes
  std::uint32_t rows_[depth] = {};
};

/// What a functor sees of a window at the thread's point (X, Y). `In`: the shape of the input.
template <class Window, class In, int X, int Y, int Dimensions>
struct WindowReader {
  Window const& window;
  template <int I, int J, int K>
  __device__ __forceinline__ auto operator[](Offset<I, J, K>) const {
    static_assert(ReadWithinShape<In, I, J, K>::value);
    if constexpr (Dimensions == 3) {
      return window.template get<X + I, Y + J, K>();
    } else {
      return window.template get<X + I, Y + J>();
    }
  }
};

}  // namespace halocline::kernel::cuda
