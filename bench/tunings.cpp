#include "bench/tunings.hpp"

#include <string>
#include <type_traits>

#include "bench/measure.hpp"
#include "bench/stencils.hpp"

namespace halocline::benchmarking {
namespace {

using kernel::cuda::StreamTuning;

/// "streaming, …, pace 5, asking 4 steps ahead"
template <class Sweep>
std::string words_of(IndexRange const& range, StreamTuning const& tuning) {
  return kernel::cuda::describe(kernel::cuda::plan_stream(range, Sweep::kernel(), &tuning)) + ", asking " +
         std::to_string(tuning.ahead) + " steps ahead";
}

template <class Real, class Functor>
std::vector<Row> measure_tunings(std::string const& what, Functor const& functor, Index size, int repetitions) {
  Extents const extents{size, size, size};
  IndexRange const range{{0, 0, 0}, extents};
  int const ghosts = Functor::shape.radius;
  Array<Real> const u(extents, ghosts, 3);
  Array<Real> const out(extents, ghosts, 3);
  Array<Real> const expected(extents, ghosts, 3);
  Reduction<Execution> sums;
  auto const task_into = [&](Array<Real> const& to) {
    return kernel::make_task(Geometry<Real>{}, to.view(), functor, u.view());
  };
  auto const task = task_into(out);
  using Task = std::remove_const_t<decltype(task)>;
  using Sweep = kernel::cuda::StreamSweep<Task, PlainSum>;
  run_portably(range, task_into(expected), sums);
  double const expected_sum = Task::sums > 0 ? sums.value() : 0;

  Execution const execution{};
  cudaStream_t const stream = execution.cuda_stream();
  Index const room = kernel::merging_room(kernel::ReductionTiles(range).total());
  sums.reserve(execution, Task::sums * room, 1);
  kernel::cuda::ReductionTileSums<PlainSum> const into{sums.partials(), room, sums.results()};
  std::vector<Form> forms{{"portable", [&] { run_portably(range, task, sums); }},
                          {"direct", [&] { kernel::cuda::run_direct(stream, range, task, into); }}};
  for (StreamTuning const& tuning : kernel::cuda::candidates(range, Sweep::kernel())) {
    forms.push_back(
        {words_of<Sweep>(range, tuning), [&, tuning] { (void)Sweep::run(stream, range, task, into, &tuning); }});
  }
  Row row;
  row.problem = problem_of<Real>(what, extents);
  row.bytes = static_cast<double>(range.size()) * sizeof(Real) * 2;
  row.operations = static_cast<double>(range.size()) * Functor::operations;
  return time_forms(row, forms, repetitions, [&](Form const& form, std::string const& name) {
    form.enqueue();
    execution.fence();
    if (Task::sums > 0 && !(sums.value() == expected_sum)) throw DefectError(name + ": the sum is wrong");
    throw_unless_equal(name, out, expected, extents);
  });
}

}  // namespace

std::vector<Row> tunings(Options const& options) {
  std::vector<Row> rows;
  auto const add = [&](std::vector<Row> const& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  for (Index const n : sizes(options, 3, {512})) {
    add(measure_tunings<double>("7-point Laplacian", Laplacian<double>{-6, 1, 1, 1}, n, options.repetitions));
    add(measure_tunings<double>("7-point Jacobi and norm", Jacobi<double, 3>{}, n, options.repetitions));
    add(measure_tunings<float>("25-point star", WideStar<float>{{1.0F, 0.5F, 0.25F, 0.125F, 0.0625F}}, n,
                               options.repetitions));
  }
  return with_copy(std::move(rows), options.repetitions);
}

}  // namespace halocline::benchmarking
