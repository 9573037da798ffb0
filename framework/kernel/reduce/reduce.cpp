#include "framework/kernel/reduce.hpp"

#include <Kokkos_Core.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "framework/kernel/reduce/grouping.hpp"
#include "framework/kernel/reduce/host.hpp"
#include "framework/kernel/reduce/portable.hpp"
#include "framework/kernel/spaces.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/reduce/cuda.hpp"
#endif

namespace halocline::reduce {

template <class Execution>
struct Outcome<Execution>::Work {
  template <class Number>
  using Memory = Kokkos::View<Number*, typename Execution::memory_space>;

  Memory<double> partials;
  Memory<double> results;
  Memory<unsigned> blocks_done;
  Index count = 0;
  std::optional<Execution> pending;  ///< the instance that the last reduction was enqueued on

  void reserve(Execution const& execution, Segments const& segments) {
    grow(execution, partials, segments.count * kernel::merging_room(reduction_tiles_of(segments.length)));
    grow(execution, results, segments.count);
    if constexpr (!kernel::is_host<Execution>) grow(execution, blocks_done, segments.count);
  }

  template <class Accumulator>
  [[nodiscard]] Room<Accumulator> room() const {
    static_assert(sizeof(Accumulator) == sizeof(double), "an accumulator is the number that it ends as");
    return {reinterpret_cast<Accumulator*>(partials.data()), reinterpret_cast<Accumulator*>(results.data()),
            blocks_done.data()};
  }

  void wait() const {
    if (pending) pending->fence("halocline: the result of a reduction");
  }

 private:
  /// New memory is zero, the initial value of the counters.
  template <class Number>
  void grow(Execution const& execution, Memory<Number>& memory, Index wanted) {
    if (wanted <= static_cast<Index>(memory.extent(0))) return;
    wait();
    memory = Memory<Number>(Kokkos::view_alloc(execution, "reduction"), static_cast<std::size_t>(wanted));
  }
};

namespace {

void expect_sensible(Segments const& segments) {
  if (segments.count < 0) throw DefectError("a reduction of " + std::to_string(segments.count) + " segments");
  if (segments.length < 0) throw DefectError("a reduction of " + std::to_string(segments.length) + " values");
  // Blocks and teams are numbered by an int.
  if (segments.count > 0 && reduction_tiles_of(segments.length) > std::numeric_limits<int>::max() / segments.count) {
    throw DefectError("a reduction of " + std::to_string(segments.count) + " segments of " +
                      std::to_string(segments.length) + " values is too large");
  }
}

template <class Execution, class Kind, class Real>
requires kernel::is_host<Execution>
void run_specialised(Execution const& execution, Arrays<Kind, Real> const& arrays, Segments const& segments,
                     Room<typename Kind::Accumulator> const& room) {
  run_on_host(execution, arrays, segments, room);
}
#if defined(KOKKOS_ENABLE_CUDA)
template <class Kind, class Real>
void run_specialised(Kokkos::Cuda const& execution, Arrays<Kind, Real> const& arrays, Segments const& segments,
                     Room<typename Kind::Accumulator> const& room) {
  cuda::run_on_cuda(execution.cuda_stream(), arrays, segments, room);
}
#elif defined(HALOCLINE_KERNEL_DEVICE)
template <class Execution, class Kind, class Real>
requires(!kernel::is_host<Execution>) void run_specialised(Execution const& execution, Arrays<Kind, Real> const& arrays,
                                                           Segments const& segments,
                                                           Room<typename Kind::Accumulator> const& room) {
  run_portably(execution, arrays, segments, room);
}
#endif

}  // namespace

void expect_as_many(Index count, Index other) {
  if (count != other) {
    throw DefectError("a reduction of " + std::to_string(count) + " values and of " + std::to_string(other));
  }
}

template <class Execution>
Outcome<Execution>::Outcome() : work_(std::make_unique<Work>()) {}
template <class Execution>
Outcome<Execution>::~Outcome() = default;
template <class Execution>
Outcome<Execution>::Outcome(Outcome&&) noexcept = default;
template <class Execution>
Outcome<Execution>& Outcome<Execution>::operator=(Outcome&&) noexcept = default;

template <class Execution>
void Outcome<Execution>::reserve(Execution const& execution, Segments const& segments) {
  expect_sensible(segments);
  work_->reserve(execution, segments);
}

template <class Execution>
double Outcome<Execution>::value(Index n) const {
  if (n < 0 || n >= work_->count) throw DefectError("there is no result " + std::to_string(n) + " of a reduction");
  work_->wait();
  double number = 0;
  using Number = Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(Number(&number), Kokkos::subview(work_->results, n));
  return number;
}

template <class Execution>
std::vector<double> Outcome<Execution>::values() const {
  work_->wait();
  auto const count = static_cast<std::size_t>(work_->count);
  std::vector<double> numbers(count);
  using Numbers = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(Numbers(numbers.data(), count),
                    Kokkos::subview(work_->results, std::make_pair(std::size_t{0}, count)));
  return numbers;
}

template <class Execution>
double const* Outcome<Execution>::data() const {
  return work_->results.data();
}

template <class Kind, class Execution, class Real>
void run(Execution const& execution, Form form, Arrays<Kind, Real> const& arrays, Segments const& segments,
         Outcome<Execution>& outcome) {
  expect_sensible(segments);
  for (Real const* const first : arrays.first) {
    if (first == nullptr && segments.count * segments.length > 0)
      throw DefectError("a reduction of values from a null pointer");
  }
  auto& work = outcome.work();
  work.reserve(execution, segments);
  work.count = segments.count;
  work.pending = execution;
  if (segments.count == 0) return;
  auto const room = work.template room<typename Kind::Accumulator>();
  if (form == Form::portable) {
    run_portably(execution, arrays, segments, room);
  } else {
    run_specialised(execution, arrays, segments, room);
  }
}

#define HALOCLINE_REDUCE_KIND(KIND, SPACE)                                                             \
  template void run(SPACE const&, Form, Arrays<KIND, float> const&, Segments const&, Outcome<SPACE>&); \
  template void run(SPACE const&, Form, Arrays<KIND, double> const&, Segments const&, Outcome<SPACE>&);
#define HALOCLINE_REDUCE_SPACE(SPACE)      \
  template class Outcome<SPACE>;           \
  HALOCLINE_REDUCE_KIND(Sum, SPACE)        \
  HALOCLINE_REDUCE_KIND(Minimum, SPACE)    \
  HALOCLINE_REDUCE_KIND(Maximum, SPACE)    \
  HALOCLINE_REDUCE_KIND(Dot, SPACE)        \
  HALOCLINE_REDUCE_KIND(SquareNorm, SPACE) \
  HALOCLINE_REDUCE_KIND(OneNorm, SPACE)    \
  HALOCLINE_REDUCE_KIND(MaximumNorm, SPACE)

HALOCLINE_FOR_EACH_SPACE(HALOCLINE_REDUCE_SPACE)

}  // namespace halocline::reduce
