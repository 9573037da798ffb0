#include "bench/reference_jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <cub/block/block_reduce.cuh>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "bench/measure.hpp"
#include "bench/stencils.hpp"

namespace halocline::benchmarking {
namespace {

constexpr int threads = 256;
/// A single-precision accumulator cannot take more terms of similar size one by one.
constexpr Index most_atomic_terms = Index{1} << 22U;

/// The data of the reference kernels. The first and the last point are fixed.
struct Line {
  float* f;
  float const* old;
  Index points;
  float* norm;
};

/// Updates one point; returns the square of its change.
__device__ __forceinline__ float relax(Line const& line, Index i) {
  float const value = 0.5F * (line.old[i + 1] + line.old[i - 1]);
  float const change = value - line.old[i];
  line.f[i] = value;
  return change * change;
}

__device__ __forceinline__ bool is_inside(Line const& line, Index i) { return i > 0 && i < line.points - 1; }

__device__ __forceinline__ Index point_of_thread() { return threadIdx.x + static_cast<Index>(blockIdx.x) * threads; }

/// Every thread adds its own term atomically.
__global__ void __launch_bounds__(threads) jacobi_atomic(Line const line) {
  Index const i = point_of_thread();
  if (is_inside(line, i)) atomicAdd(line.norm, relax(line, i));
}

/// A block first adds up its terms.
__global__ void __launch_bounds__(threads) jacobi_block_reduce(Line const line) {
  using Reduce = cub::BlockReduce<float, threads>;
  __shared__ typename Reduce::TempStorage storage;
  Index const i = point_of_thread();
  float const sum = Reduce(storage).Sum(is_inside(line, i) ? relax(line, i) : 0.0F);
  if (threadIdx.x == 0) atomicAdd(line.norm, sum);
}

/// One iteration: the norm is set to zero, then the sweep.
void enqueue(void (*sweep)(Line), Line const& line) {
  cudaStream_t const stream = Execution{}.cuda_stream();
  kernel::cuda::check(cudaMemsetAsync(line.norm, 0, sizeof(float), stream), "cudaMemsetAsync");
  auto const blocks = static_cast<unsigned>((line.points + threads - 1) / threads);
  sweep<<<blocks, threads, 0, stream>>>(line);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

struct SummingForm : Form {
  std::function<double()> sum;  ///< waits for it
  Index additions;              ///< maximum number of single-precision additions that a term goes through
};

void check_sum(std::string const& what, double sum, double expected, Index additions) {
  // For sums of non-negative terms the relative error after n additions is at most n u / (1 - n u) (Higham, 2002, 4.2).
  double const rounding = static_cast<double>(additions) * std::numeric_limits<float>::epsilon() / 2;
  if (!(std::abs(sum - expected) <= rounding / (1 - rounding) * expected)) {
    throw DefectError(what + ": the sum is " + std::to_string(sum) + ", that of the portable form " +
                      std::to_string(expected));
  }
}

/// Times every form on one line. Values must agree to the bit, sums within their precision.
std::vector<Row> time_line(Index points, int repetitions) {
  Extents const extents{points, 1, 1};
  IndexRange const inner{{1, 0, 0}, {points - 1, 1, 1}};
  Jacobi<float, 1> const functor;
  Row row;
  row.problem = problem_of<float>("3-point Jacobi and norm inside", extents);
  row.bytes = static_cast<double>(points + inner.size()) * sizeof(float);
  row.operations = static_cast<double>(inner.size()) * operations_of<Jacobi<float, 1>>;

  Array<float> const u(extents);
  Array<float> f(extents);
  Array<float> expected(extents);
  SumsInTurn sums;
  std::uint64_t const seed = fresh_seed();
  expected.fill(seed);
  run_portably(inner, kernel::make_task(Geometry<float>{}, expected.view(), functor, u.view()), sums.next());
  double const expected_sum = sums.last().value();

  Kokkos::View<float, Memory> const norm("norm");
  Line const line{f.view().origin, u.view().origin, points, norm.data()};
  auto const sum_of_reference = [&] {
    float sum = 0;
    Kokkos::deep_copy(sum, norm);
    return static_cast<double>(sum);
  };
  auto const task = kernel::make_task(Geometry<float>{}, f.view(), functor, u.view());
  std::vector<SummingForm> forms{
      {{form_of(inner, task), [&] { kernel::run(Execution{}, inner, task, sums.next()); }},
       [&] { return sums.last().value(); },
       0},
      {{"reference: BlockReduce, an atomic addition a block", [&] { enqueue(&jacobi_block_reduce, line); }},
       sum_of_reference,
       threads + (points + threads - 1) / threads}};
  if (points <= most_atomic_terms) {
    forms.push_back(
        {{"reference: an atomic addition a thread", [&] { enqueue(&jacobi_atomic, line); }}, sum_of_reference, points});
  }
  return time_forms(row, forms, repetitions, [&](SummingForm const& form, std::string const& what) {
    f.fill(seed);
    form.enqueue();
    throw_unless_equal(what, f, expected, extents);
    check_sum(what, form.sum(), expected_sum, form.additions);
  });
}

/// The first and the last point of a line.
struct SetEnds {
  float* f;
  Index points;
  KOKKOS_FUNCTION void operator()(Index n) const { f[n * (points - 1)] = n == 0 ? 5.0F : 10.0F; }
};

}  // namespace

JacobiRun run_jacobi(JacobiSum sum, Index points) {
  constexpr float tolerance = 1e-4F;
  constexpr std::size_t most_iterations = 1000;
  Kokkos::View<float*, Memory> old("old", static_cast<std::size_t>(points));
  Kokkos::View<float*, Memory> next("next", static_cast<std::size_t>(points));
  for (auto const& values : {old, next}) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, 2),
                         SetEnds{values.data(), points});
  }
  Kokkos::View<float, Memory> const norm("norm");
  auto* const sweep = sum == JacobiSum::block_reduce ? &jacobi_block_reduce : &jacobi_atomic;
  JacobiRun run;
  auto const iterate = [&] {
    while (!run.converged && run.changes.size() < most_iterations) {
      enqueue(sweep, {next.data(), old.data(), points, norm.data()});
      float squares = 0;
      Kokkos::deep_copy(squares, norm);
      std::swap(old, next);
      run.changes.push_back(std::sqrt(squares / static_cast<float>(points)));
      run.converged = run.changes.back() <= tolerance;
    }
  };
  run.seconds = elapsed(iterate, 1) / static_cast<double>(run.changes.size());
  return run;
}

std::string to_string(JacobiRun const& run) {
  std::ostringstream text;
  for (std::size_t n = 0; n < run.changes.size(); n += 10)
    text << "Iteration = " << n << " error = " << run.changes[n] << '\n';
  text << (run.converged ? "Success!\n" : "Failure!\n");
  return text.str();
}

std::vector<Row> reference_jacobi_1d(Options const& options) {
  std::vector<Row> rows;
  for (Index const size : sizes(options, 1, {Index{1} << 22U, Index{1} << 28U})) {
    // A line needs an interior point.
    Index const points = std::max<Index>(size, 3);
    std::ranges::move(with_copy(time_line(points, options.repetitions), options.repetitions), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace halocline::benchmarking
