// Reads that functors do not declare: reads_outside_test.py expects that the marked lines do not compile, one for each
// reader type of a functor; some exist only in builds for CUDA. With HALOCLINE_WITHIN all reads are declared ones, and
// everything compiles.

#include "framework/kernel/views.hpp"
#include "framework/operator/stencil_cg.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/direct.hpp"
#include "framework/kernel/cuda/line.hpp"
#include "framework/kernel/cuda/window.hpp"
#endif

namespace halocline::reads_outside {

#if defined(HALOCLINE_WITHIN)
constexpr bool within = true;
#else
constexpr bool within = false;
#endif

/// Declares a line along x of one neighbour on each side, and reads `Axis` at `Distance`.
template <int Axis, int Distance>
struct Reads {
  static constexpr Shape shape = star<1, 2>;
  static constexpr Shape input_shape(int) { return line<1, 0>; }
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    return u[along < within ? 0 : Axis, within ? 1 : Distance > ];
  }
};
using At = Point<double>;

double direct_reader(At const& at, Reader<double, InputShape<Reads<0, 2>, 0>> const& u) {
  return Reads<0, 2>{}(at, u);  // refused
}

double moved_reader(At const& at, Reader<double, InputShape<Reads<0, -2>, 0>, 1, 0> const& u) {
  return Reads<0, -2>{}(at, u);  // refused
}

double narrower_input(At const& at, Reader<double, InputShape<Reads<1, 1>, 0>> const& u) {
  return Reads<1, 1>{}(at, u);  // refused
}

double portable_sweep(Geometry<double> const& geometry, kernel::Inputs<double const> const& in) {
  return in.evaluate(Reads<0, 3>{}, geometry, 0, 0, 0);  // refused
}

double sweep_on_the_host(At const& at, kernel::Inputs<double const> const& in) {
  return in.evaluate_moved<1, 0>(Reads<0, -3>{}, at, 0);  // refused
}

double operator_of_a_direction(At const& at, Reader<double, InputShape<Reads<0, 4>, 0>> const& u) {
  using Vector = Reader<double, InputShape<Reads<0, 4>, 0>>;
  return Reads<0, 4>{}(at, stencil_functor::Direction<double, Vector, Vector>{u, u, 1});  // refused
}

#if defined(KOKKOS_ENABLE_CUDA)
__device__ double pack_of_a_device(At const& at,
                                   kernel::cuda::DirectReader<double, InputShape<Reads<0, 5>, 0>, 2, 0> const& u) {
  return Reads<0, 5>{}(at, u);  // refused on devices
}

using Window = kernel::cuda::PlaneWindow<double, 2, 2, 1, true>;
__device__ double window_of_a_device(At const& at,
                                     kernel::cuda::WindowReader<Window, InputShape<Reads<0, 6>, 0>, 0, 0, 3> const& u) {
  return Reads<0, 6>{}(at, u);  // refused on devices
}

__device__ double line_of_a_device(At const& at,
                                   kernel::cuda::LineReader<double, InputShape<Reads<0, 7>, 0>, 2, 0> const& u) {
  return Reads<0, 7>{}(at, u);  // refused on devices
}
#endif

}  // namespace halocline::reads_outside
