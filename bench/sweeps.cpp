#include "bench/sweeps.hpp"

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>

#include "bench/timing.hpp"
#include "framework/kernel/portable.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/operator/vector_functors.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::benchmarking {
namespace {

constexpr bool on_host = kernel::is_host<Execution>;

template <class Real>
struct Laplacian {
  static constexpr Shape shape = star<1>;
  Real centre, x, y, z;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return centre * u[here] + x * (u[west] + u[east]) + y * (u[south] + u[north]) + z * (u[bottom] + u[top]);
  }
};

/// The mean of the neighbours, and the square of the change.
template <class Real, int Dimensions>
struct Jacobi {
  static constexpr Shape shape = star<1, Dimensions>;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 1, 1> operator()(P const&, U const& u) const {
    Real neighbours = u[west] + u[east];
    if constexpr (Dimensions > 1) neighbours += u[south] + u[north];
    if constexpr (Dimensions > 2) neighbours += u[bottom] + u[top];
    Real const value = (Real{1} / Real{2 * Dimensions}) * neighbours;
    Real const change = value - u[here];
    return {{value}, {change * change}};
  }
};

/// A weight for each distance.
template <class Real>
struct WideStar {
  static constexpr Shape shape = star<4>;
  Real weight[5];
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    return weight[0] * u[here] + weight[1] * ring<1>(u) + weight[2] * ring<2>(u) + weight[3] * ring<3>(u) +
           weight[4] * ring<4>(u);
  }
  template <int D, class U>
  KOKKOS_FUNCTION static Real ring(U const& u) {
    return (u[along<0, -D>] + u[along<0, D>]) + (u[along<1, -D>] + u[along<1, D>]) + (u[along<2, -D>] + u[along<2, D>]);
  }
};

/// Numbers in [-1, 1) made of the place and a seed.
template <class Real>
struct FillRandomly {
  Real* values;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    values[n] = static_cast<Real>(vector_functor::uniform(seed + (n + 1) * 0x9e3779b97f4a7c15U));
  }
};

/// Values of a block laid out as a Field lays them out: rows start on cache lines.
template <class Real>
class Array {
 public:
  /// `dimensions`: axes that have ghosts.
  Array(Extents const& owned, Index ghosts, int dimensions) {
    Index const line = 64 / static_cast<Index>(sizeof(Real));
    std::array<Index, 3> halo{};
    for (std::size_t axis = 0; axis < 3; ++axis) halo[axis] = static_cast<int>(axis) < dimensions ? ghosts : 0;
    Index const lead = (halo[0] + line - 1) / line * line;
    Index const row = lead + (owned[0] + halo[0] + line - 1) / line * line;
    Index const plane = row * (owned[1] + 2 * halo[1]);
    values_ = Kokkos::View<Real*, Memory>(Kokkos::view_alloc("benchmark", Kokkos::WithoutInitializing),
                                          static_cast<std::size_t>(plane * (owned[2] + 2 * halo[2])));
    view_ = {values_.data() + lead + halo[1] * row + halo[2] * plane, row, plane};
    std::uint64_t const seed = (std::uint64_t{std::random_device{}()} << 32U) + std::random_device{}();
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution>(0, values_.extent(0)),
                         FillRandomly<Real>{values_.data(), seed});
  }
  [[nodiscard]] BlockView<Real> view() const { return view_; }

 private:
  Kokkos::View<Real*, Memory> values_;
  BlockView<Real> view_;
};

/// Counts the entries of a block whose values differ, NaNs included.
template <class Real>
struct CountDifferences {
  BlockView<Real> a, b;
  Index extent_x, extent_y;
  KOKKOS_FUNCTION void operator()(Index n, Index& count) const {
    Index const i = n % extent_x;
    Index const j = n / extent_x % extent_y;
    Index const k = n / (extent_x * extent_y);
    if (!(a(i, j, k) == b(i, j, k))) ++count;
  }
};

template <class Task>
void run_portably(IndexRange const& range, Task const& task, Reduction<Execution>& sums) {
  if constexpr (Task::sums > 0) {
    kernel::sweep_reduce_portably(Execution{}, range, task, sums);
  } else {
    kernel::sweep_portably(Execution{}, range, task);
  }
}
template <class Task>
void run_specialised(IndexRange const& range, Task const& task, Reduction<Execution>& sums) {
  if constexpr (Task::sums > 0) {
    kernel::run(Execution{}, range, task, sums);
  } else {
    kernel::run(Execution{}, range, task);
  }
}

template <class Task>
std::string form_of([[maybe_unused]] IndexRange const& range, [[maybe_unused]] Task const& task) {
#if defined(KOKKOS_ENABLE_CUDA)
  return kernel::cuda::form_of<Task, PlainSum>(range, task);
#else
  return on_host ? "vectorised rows" : "portable";
#endif
}

std::string size_of(Extents const& extents) {
  std::string text = std::to_string(extents[0]);
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (extents[axis] > 1) text += " x " + std::to_string(extents[axis]);
  }
  return text;
}

/// Checks and times a functor of `InputCount` inputs that writes one output, or none.
template <class Real, int InputCount, bool Writes, class Functor>
Row measure(std::string const& what, Functor const& functor, Extents const& extents, Options const& options) {
  IndexRange const range{{0, 0, 0}, extents};
  Index const ghosts = Functor::shape.radius;
  int const axes = Functor::shape.dimensions;
  Row row;
  row.problem = what + (sizeof(Real) == 4 ? ", single, " : ", double, ") + size_of(extents);
  row.bytes = static_cast<double>(range.size()) * sizeof(Real) * (InputCount + (Writes ? 1 : 0));
  {
    Array<Real> const u(extents, ghosts, axes);
    Array<Real> const x(InputCount > 1 ? extents : Extents{1, 1, 1}, 0, 0);
    Array<Real> const out(Writes ? extents : Extents{1, 1, 1}, ghosts, axes);
    Reduction<Execution> sums;
    auto const task_into = [&](Array<Real> const& to) {
      if constexpr (!Writes) {
        return kernel::make_task(Geometry<Real>{}, no_outputs, functor, u.view(), x.view());
      } else {
        return kernel::make_task(Geometry<Real>{}, to.view(), functor, u.view());
      }
    };
    auto const task = task_into(out);
    using Task = std::remove_const_t<decltype(task)>;
    run_specialised(range, task, sums);
    double const sum = Task::sums > 0 ? sums.value() : 0;
    {
      Array<Real> const expected(Writes ? extents : Extents{1, 1, 1}, ghosts, axes);
      run_portably(range, task_into(expected), sums);
      double const expected_sum = Task::sums > 0 ? sums.value() : 0;
      if (!(sum == expected_sum)) {
        throw DefectError(row.problem + ": the sum differs from that of the portable form by " +
                          std::to_string(sum - expected_sum) + " of " + std::to_string(expected_sum));
      }
      if constexpr (Writes) {
        Index wrong = 0;
        Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, range.size()),
                                CountDifferences<Real>{out.view(), expected.view(), extents[0], extents[1]}, wrong);
        if (wrong > 0) {
          throw DefectError(row.problem + ": " + std::to_string(wrong) + " values are not those of the portable form");
        }
      }
    }
    row.form = form_of(range, task);
    row.seconds = time_each([&] { run_specialised(range, task, sums); }, options.repetitions);
  }
  row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return row;
}

/// The entries along an axis of a problem of so many dimensions, as asked or as the benchmark has them.
std::vector<Index> sizes(Options const& options, int dimensions, std::vector<Index> const& host,
                         std::vector<Index> const& device) {
  // Beyond that no memory holds the arrays, and products of extents would overflow.
  constexpr Index largest[] = {Index{1} << 40U, Index{1} << 20U, Index{1} << 13U};
  if (options.size > largest[dimensions - 1]) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest[dimensions - 1]) +
                     " in " + std::to_string(dimensions) + "D");
  }
  if (options.size > 0) return {options.size};
  return on_host ? host : device;
}

}  // namespace

std::vector<Row> laplacian_3d(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {128, 256}, {256, 512, 1024})) {
    rows.push_back(measure<double, 1, true>("7-point Laplacian", Laplacian<double>{-6, 1, 1, 1}, {n, n, n}, options));
  }
  return rows;
}

std::vector<Row> jacobi_3d(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {128, 256}, {256, 512, 1024})) {
    rows.push_back(measure<double, 1, true>("7-point Jacobi and norm", Jacobi<double, 3>{}, {n, n, n}, options));
  }
  return rows;
}

std::vector<Row> jacobi_2d(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 2, {4096}, {4096, 20480})) {
    rows.push_back(measure<float, 1, true>("5-point Jacobi and norm", Jacobi<float, 2>{}, {n, n, 1}, options));
  }
  return rows;
}

std::vector<Row> jacobi_1d(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 1, {Index{1} << 24U}, {Index{1} << 22U, Index{1} << 28U})) {
    rows.push_back(measure<float, 1, true>("3-point Jacobi and norm", Jacobi<float, 1>{}, {n, 1, 1}, options));
  }
  return rows;
}

std::vector<Row> star_25(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256}, {768})) {
    WideStar<float> const star{{1.0F, 0.5F, 0.25F, 0.125F, 0.0625F}};
    rows.push_back(measure<float, 1, true>("25-point star", star, {n, n, n}, options));
  }
  return rows;
}

std::vector<Row> dot_product(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256}, {512})) {
    rows.push_back(measure<double, 2, false>("dot product", vector_functor::Dots<double>{}, {n, n, n}, options));
  }
  return rows;
}

std::vector<Fact> device_facts() {
#if defined(KOKKOS_ENABLE_CUDA)
  int device = 0;
  kernel::cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  auto const attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    kernel::cuda::check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return static_cast<double>(value);
  };
  // Two transfers a clock.
  double const peak = 2 * 1e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return {{"multiprocessors", attribute(cudaDevAttrMultiProcessorCount)},
          {"second-level cache, bytes", attribute(cudaDevAttrL2CacheSize)},
          {"peak of the memory, bytes a second", peak}};
#else
  return {{"threads", static_cast<double>(Execution{}.concurrency())}};
#endif
}

}  // namespace halocline::benchmarking
