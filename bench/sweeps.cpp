#include "bench/sweeps.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include "bench/measure.hpp"
#include "bench/stencils.hpp"
#include "bench/timing.hpp"

namespace halocline::benchmarking {
namespace {

/// Checks and times a functor with `InputCount` inputs that writes one output or none.
template <class Real, int InputCount, bool Writes, class Functor>
Row measure(std::string const& what, Functor const& functor, Extents const& extents, Options const& options) {
  IndexRange const range{{0, 0, 0}, extents};
  Index const ghosts = Functor::shape.radius;
  int const axes = Functor::shape.dimensions();
  Row row;
  row.problem = problem_of<Real>(what, extents);
  row.bytes = static_cast<double>(range.size()) * sizeof(Real) * (InputCount + (Writes ? 1 : 0));
  row.operations = static_cast<double>(range.size()) * operations_of<Functor>;
  {
    Array<Real> const u(extents, ghosts, axes);
    Array<Real> const x(InputCount > 1 ? extents : Extents{1, 1, 1}, 0, 0);
    Array<Real> const out(Writes ? extents : Extents{1, 1, 1}, ghosts, axes);
    SumsInTurn sums;
    auto const task_into = [&](Array<Real> const& to) {
      if constexpr (!Writes) {
        return kernel::make_task(Geometry<Real>{}, no_outputs, functor, u.view(), x.view());
      } else if constexpr (InputCount == 2) {
        return kernel::make_task(Geometry<Real>{}, to.view(), functor, u.view(), x.view());
      } else {
        return kernel::make_task(Geometry<Real>{}, to.view(), functor, u.view());
      }
    };
    auto const task = task_into(out);
    using Task = std::remove_const_t<decltype(task)>;
    run_specialised(range, task, sums.next());
    double const sum = Task::sums > 0 ? sums.last().value() : 0;
    {
      Array<Real> const expected(Writes ? extents : Extents{1, 1, 1}, ghosts, axes);
      run_portably(range, task_into(expected), sums.next());
      double const expected_sum = Task::sums > 0 ? sums.last().value() : 0;
      if (!(sum == expected_sum)) {
        throw DefectError(row.problem + ": the sum differs from that of the portable form by " +
                          std::to_string(sum - expected_sum) + " of " + std::to_string(expected_sum));
      }
      if constexpr (Writes) throw_unless_equal(row.problem, out, expected, extents);
    }
    row.form = form_of(range, task);
    row.seconds = time_each([&] { run_specialised(range, task, sums.next()); }, options.repetitions);
  }
  row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return row;
}

std::vector<Row> laplacians(std::vector<Index> const& cubes, Options const& options) {
  std::vector<Row> rows;
  for (Index const n : cubes) {
    rows.push_back(measure<double, 1, true>("7-point Laplacian", Laplacian<double>{-6, 1, 1, 1}, {n, n, n}, options));
  }
  return rows;
}

}  // namespace

std::vector<Row> laplacian_3d(Options const& options) {
  return laplacians(sizes(options, 3, {128, 256}, {256, 512, 1024}), options);
}

std::vector<Row> laplacian_sizes(Options const& options) {
  return laplacians(
      sizes(options, 3, {64, 96, 128, 192, 256}, {64, 96, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024}), options);
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

std::vector<Row> leapfrog(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256}, {512, 768})) {
    Leapfrog<float> const step{{{1.0F, 0.5F, 0.25F, 0.125F, 0.0625F}}};
    rows.push_back(measure<float, 2, true>("leapfrog step of a wave", step, {n, n, n}, options));
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

}  // namespace halocline::benchmarking
