#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "framework/kernel/portable.hpp"
#include "framework/kernel/sweep.hpp"

// Shared by the tests of sweeps: blocks of numbers in an execution space's memory, and functors of many shapes.

namespace halocline::kernel_test {

/// Gives every entry a different number.
template <class View>
void fill_with_numbers(View const& values, int seed) {
  using Real = typename View::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(values);
  auto state = static_cast<std::uint32_t>(seed) * 2654435761U + 12345U;
  for (std::size_t n = 0; n < host.extent(0); ++n) {
    state = state * 1664525U + 1013904223U;
    host(n) = static_cast<Real>(state >> 8U) / static_cast<Real>(1U << 24U) - Real{0.5};
  }
  Kokkos::deep_copy(values, host);
}

/// All entries, on the host.
template <class View>
[[nodiscard]] std::vector<typename View::non_const_value_type> contents_of(View const& values) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  return {host.data(), host.data() + host.extent(0)};
}

/// Owned extents of a block with ghosts around it, filled with numbers that differ everywhere, padding included.
template <class Real, class Execution>
class TestBlock {
 public:
  /// `padding`: entries more than needed between rows, so that pitches differ.
  TestBlock(Extents const& owned, Index ghosts, int seed, Index padding = 0)
      : owned_(owned), ghosts_(ghosts), lead_((ghosts + 15) / 16 * 16) {
    row_ = (lead_ + owned[0] + ghosts + padding + 15) / 16 * 16;
    plane_ = row_ * (owned[1] + 2 * ghosts);
    values_ = Kokkos::View<Real*, typename Execution::memory_space>(
        "test", static_cast<std::size_t>(plane_ * (owned[2] + 2 * ghosts) + 16));
    fill_with_numbers(values_, seed);
  }

  [[nodiscard]] BlockView<Real> view() const {
    return {values_.data() + lead_ + ghosts_ * row_ + ghosts_ * plane_, row_, plane_};
  }
  [[nodiscard]] IndexRange owned() const { return {{0, 0, 0}, owned_}; }

  /// Every value of the allocation, ghosts and padding included.
  [[nodiscard]] std::vector<Real> contents() const { return contents_of(values_); }

 private:
  Extents owned_;
  Index ghosts_;
  Index lead_;
  Index row_ = 0;
  Index plane_ = 0;
  Kokkos::View<Real*, typename Execution::memory_space> values_;
};

/// A geometry with non-trivial indices, positions and time.
template <class Real>
Geometry<Real> test_geometry() {
  Geometry<Real> geometry;
  geometry.first[0] = 1000;
  geometry.first[2] = 3;
  geometry.spacing[0] = Real{0.125};
  geometry.spacing[1] = Real{0.3125};
  geometry.origin[1] = Real{-7};
  geometry.time = Real{0.75};
  return geometry;
}

/// Index of the first entry whose bits differ, or -1.
template <class Real>
Index first_difference(std::vector<Real> const& a, std::vector<Real> const& b) {
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (std::memcmp(&a[n], &b[n], sizeof(Real)) != 0) return static_cast<Index>(n);
  }
  return -1;
}

/// Every point of a star, each with its own weight, the position and the time.
template <class Real, int Radius>
struct StarSum {
  static constexpr Shape shape = star<Radius>;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    return sum(u, std::make_integer_sequence<int, Radius>()) + weight * at.position(0) - at.position(1) +
           at.time() * static_cast<Real>(at.index(2) % 7);
  }
  template <class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return ((weight * u[here]) + ... +
            ((u[along<0, N + 1>] + Real{2} * u[along<0, -N - 1>]) + (u[along<1, N + 1>] - u[along<1, -N - 1>]) +
             (u[along<2, N + 1>] + weight * u[along<2, -N - 1>])));
  }
};

/// All 27 points of a cube.
template <class Real>
struct BoxSum {
  static constexpr Shape shape = box<1>;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return sum(u, std::make_integer_sequence<int, 27>());
  }
  template <class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return (Real{0} + ... + ((weight + static_cast<Real>(N)) * u[Offset<N % 3 - 1, N / 3 % 3 - 1, N / 9 - 1>{}]));
  }
};

/// The points of a box that are farthest from its centre, in every direction, and those next to the centre.
template <class Real, int Radius, int Axes = 3>
struct FarBoxSum {
  static constexpr Shape shape = box<Radius, Axes>;
  static constexpr int directions = Axes == 1 ? 3 : Axes == 2 ? 9 : 27;
  Real weight;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const& at, U const& u) const {
    constexpr std::make_integer_sequence<int, directions> all{};
    return sum<Radius>(u, all) - weight * sum<1>(u, all) + at.position(0);
  }
  template <int Distance, class U, int... N>
  KOKKOS_FUNCTION Real sum(U const& u, std::integer_sequence<int, N...>) const {
    return (Real{0} + ... +
            ((weight + static_cast<Real>(N)) *
             u[Offset < Distance * (N % 3 - 1), Axes == 1 ? 0 : Distance * (N / 3 % 3 - 1),
               Axes < 3 ? 0 : Distance * (N / 9 - 1) > {}]));
  }
};

/// Two outputs and three sums from three inputs, with a choice and a division.
template <class Real>
struct Mixed {
  static constexpr Shape shape = star<1>;
  template <class P, class U, class K, class B>
  KOKKOS_FUNCTION Result<Real, 2, 3> operator()(P const&, U const& u, K const& k, B const& b) const {
    Real const flux = k[east] * (u[east] - u[here]) - k[here] * (u[here] - u[west]) + k[north] * (u[north] - u[south]);
    Real const limited = select(flux > Real{0}, flux, Real{-0.5} * flux) / (Real{2} + b[here]);
    return {{limited, u[top] - b[here]}, {limited * limited, b[here] * u[bottom], flux}};
  }
};

/// u + a x, written over u.
template <class Real>
struct AddInPlace {
  static constexpr Shape shape = point;
  Real a;
  template <class P, class U, class X>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const&, U const& u, X const& x) const {
    Real const value = u[here] + a * x[here];
    return {{value}, {value * value}};
  }
};

/// The product of two inputs, summed; nothing written.
template <class Real>
struct Dot {
  static constexpr Shape shape = point;
  template <class P, class U, class X>
  KOKKOS_FUNCTION Result<Real, 0, 1> operator()(P const&, U const& u, X const& x) const {
    return {{}, {u[here] * x[here]}};
  }
};

}  // namespace halocline::kernel_test
