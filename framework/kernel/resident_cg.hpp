#pragma once

#include "framework/kernel/backends.hpp"
#include "framework/kernel/cg_recurrence.hpp"
#include "framework/kernel/views.hpp"
#include "framework/mesh/index_range.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <Kokkos_Core.hpp>
#include <algorithm>

#include "framework/kernel/cuda/resident_cg.hpp"
#endif

namespace halocline::kernel {

/// Whether an execution space can run several CG steps in one persistent kernel.
template <class Execution>
inline constexpr bool has_persistent_cg = false;

/// Runs CG steps for a small system on one block of a mesh in one persistent kernel, on devices with a grid-wide
/// barrier. Other execution spaces run none.
template <class Execution>
class ResidentCg {
 public:
  template <class Real, class Functor, class GeometryReal, class... K>
  int run(Execution const&, IndexRange const&, Index const (&)[3], Functor const&, Geometry<GeometryReal> const&,
          CgRecurrence const&, CgBounds const&, BlockView<Real>, BlockView<Real>, BlockView<Real>, BlockView<K>...) {
    return 0;
  }
  [[nodiscard]] double const* measured() const { return nullptr; }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr bool has_persistent_cg<Kokkos::Cuda> = true;

template <>
class ResidentCg<Kokkos::Cuda> {
 public:
  static constexpr Index most_steps = 64;

  /// x, p and r enter and leave without deferred updates. `range`: the unknowns; `period`: the extent of periodic axes,
  /// otherwise 0; `coefficients`: inputs of the functor after the vector, with ghosts. Returns the number of steps, 0
  /// if the system is too large or one-dimensional, and waits for them. If p . A p of the last step is not positive and
  /// finite, x and r are those of the step before; otherwise the norm of r or the number of steps ended the run.
  template <class Real, class Functor, class GeometryReal, class... K>
  int run(Kokkos::Cuda const& execution, IndexRange const& range, Index const (&period)[3], Functor const& functor,
          Geometry<GeometryReal> const& geometry, CgRecurrence const& recurrence, CgBounds const& bounds,
          BlockView<Real> x, BlockView<Real> p, BlockView<Real> r, BlockView<K>... coefficients) {
    using Views = decltype(as_inputs(coefficients...));
    using Problem = cuda::CgProblem<Real, Functor, GeometryReal, Views>;
    ReductionTiles const reduction_tiles(range);
    if (reduction_tiles.dimensions < 2 || reduction_tiles.steps != Problem::depth ||
        reduction_tiles.total() > cuda::GridBarrier::most_blocks)
      return 0;
    Problem problem{.functor = functor,
                    .geometry = geometry,
                    .coefficients = as_inputs(coefficients...),
                    .x = x,
                    .p = p,
                    .r = r,
                    .reduction_tiles = reduction_tiles};
    int const size[3] = {reduction_tiles.columns_x,
                         reduction_tiles.dimensions == 2 ? Problem::depth : reduction_tiles.columns_y,
                         reduction_tiles.dimensions == 3 ? Problem::depth : 1};
    int const reach[3] = {Problem::reach_x, Problem::reach_y, Problem::reach_z};
    for (std::size_t a = 0; a < 3; ++a) {
      problem.begin[a] = range.begin[a];
      problem.end[a] = range.end[a];
      problem.period[a] = period[a];
      problem.extent[a] = size[a] + 2 * reach[a];
    }
    auto* const kernel = &cuda::resident_cg<Problem, Real>;
    auto const* const address = reinterpret_cast<void const*>(kernel);
    auto const blocks = static_cast<int>(reduction_tiles.total());
    if (blocks > cuda::blocks_at_a_time(address, problem.shared_bytes())) return 0;
    make_room();
    problem.steps = static_cast<int>(std::min(bounds.most, most_steps));
    problem.barrier = {published_.data(), reserve(2 * static_cast<unsigned>(problem.steps), execution)};
    problem.recurrence = recurrence;
    problem.enough = bounds.enough;
    problem.too_much = bounds.too_much;
    problem.measured = measured_.data();
    problem.taken = taken_.data();
    cuda::launch_together(address, blocks, problem.shared_bytes(), &problem, execution.cuda_stream());
    execution.fence("halocline: steps of conjugate gradients");
    return *taken_.data();
  }
  /// p . A p and r . r of each step.
  [[nodiscard]] double const* measured() const { return measured_.data(); }

 private:
  void make_room() {
    if (published_.size() > 0) return;
    published_ = Published("grid barrier", 4 * cuda::GridBarrier::most_blocks);
    measured_ = decltype(measured_)("measured", 2 * most_steps);
    taken_ = decltype(taken_)("steps taken");
  }
  /// Reserves consecutive flags and returns the first. Numbering restarts at 1 where they would overflow.
  [[nodiscard]] unsigned reserve(unsigned flags, Kokkos::Cuda const& execution) {
    if (next_ > ~0U - flags) {
      Kokkos::deep_copy(execution, published_, 0);
      next_ = 1;
    }
    unsigned const first = next_;
    next_ += flags;
    return first;
  }

  using Published = Kokkos::View<unsigned long long*, Kokkos::CudaSpace>;
  Published published_;
  Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> measured_;
  Kokkos::View<int, Kokkos::SharedHostPinnedSpace> taken_;
  unsigned next_ = 1;  ///< never 0, the initial value of the memory
};
#endif

}  // namespace halocline::kernel
