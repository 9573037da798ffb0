#include "bench/nbody.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

#include "bench/clock.hpp"
#include "bench/measure.hpp"
#include "bench/nbody_bound.hpp"
#include "framework/operator/vector_functors.hpp"
#include "physics/nbody/attraction.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "bench/reference_nbody.hpp"
#include "physics/nbody/cuda.hpp"
#endif

namespace halocline::benchmarking {
namespace {

constexpr double softening = 0.05;
/// As the literature counts: 3 differences, 6 for the distance, 4 for the root and the weight, 6 for the sums, 1 more.
constexpr double operations_of_interaction = 20;

/// Bodies in a cube, all of one mass. Every precision has the same, which are numbers in single precision.
template <class Real>
struct FillWithBodies {
  nbody::Source<Real>* bodies;
  Index count;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(Index n) const {
    auto const number = [&](unsigned axis) {
      auto const place = static_cast<std::uint64_t>(3 * n) + axis + 1;
      return static_cast<Real>(static_cast<float>(vector_functor::uniform(seed + place * 0x9e3779b97f4a7c15U)));
    };
    bodies[n] = {number(0), number(1), number(2), static_cast<Real>(1 / static_cast<float>(count))};
  }
};

/// Bodies and what attracts them.
template <class Real>
class Bodies {
 public:
  Bodies(Index count, std::uint64_t seed)
      : bodies_("bodies", static_cast<std::size_t>(count)), acceleration_("acceleration", 3, bodies_.extent(0)) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, count),
                         FillWithBodies<Real>{bodies_.data(), count, seed});
  }
  [[nodiscard]] nbody::Attraction<Real> attraction() const {
    auto const count = static_cast<Index>(bodies_.extent(0));
    Real* const values = acceleration_.data();
    return {bodies_.data(),
            count,
            bodies_.data(),
            count,
            static_cast<Real>(softening),
            {values, values + count, values + 2 * count},
            false};
  }
  [[nodiscard]] Kokkos::View<Real**, Kokkos::LayoutRight, Memory> acceleration() const { return acceleration_; }

 private:
  Kokkos::View<nbody::Source<Real>*, Memory> bodies_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> acceleration_;
};

/// Squares of the differences of two arrays, and of the second one.
template <class Real>
struct AddSquares {
  Real const* values;
  double const* expected;
  KOKKOS_FUNCTION void operator()(Index n, double& difference, double& all) const {
    double const error = static_cast<double>(values[n]) - expected[n];
    difference += error * error;
    all += expected[n] * expected[n];
  }
};

/// Throws DefectError unless accelerations are those of the portable form in double precision. The roundings of a sum
/// of n terms are taken for a random walk, in the root of the mean square over all bodies.
template <class Real>
void check(std::string const& what, Bodies<Real> const& bodies, Bodies<double> const& expected) {
  auto const values = bodies.acceleration();
  auto const count = static_cast<Index>(values.size());
  double difference = 0;
  double all = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, count),
                          AddSquares<Real>{values.data(), expected.acceleration().data()}, difference, all);
  double const terms = static_cast<double>(values.extent(1)) + 64;
  double const tolerance = 4 * std::sqrt(terms) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  if (!(std::sqrt(difference) <= tolerance * std::sqrt(all))) {
    throw DefectError(what + ": accelerations differ from those of the portable form by " +
                      std::to_string(std::sqrt(difference / all)) + " of them");
  }
}

/// The ways to compute the attraction of some bodies. The first one is what a run takes.
template <class Real>
std::vector<Form> forms_of(nbody::Attraction<Real> const& attraction) {
  std::vector<Form> all;
  for (nbody::Form const form : nbody::forms()) {
    all.push_back({to_string(form), [=] { nbody::attract(Execution{}, attraction, form); }});
  }
#if defined(KOKKOS_ENABLE_CUDA)
  for (int const targets : nbody::cuda::blockings<Real>()) {
    all.push_back({"cuda, bodies a thread: " + std::to_string(targets),
                   [=] { nbody::cuda::attract(Execution{}, attraction, targets); }});
  }
  if constexpr (sizeof(Real) == 4) {
    all.push_back({"reference: one body a thread, 300 x 256 threads, tiles of 256 bodies",
                   [=] { attract_by_tiles(Execution{}, attraction); }});
  }
#endif
  return all;
}

template <class Real>
std::vector<Row> time_bodies(Index count, int repetitions) {
  std::uint64_t const seed = fresh_seed();
  Bodies<double> const expected(count, seed);
  nbody::attract(Execution{}, expected.attraction(), nbody::Form::portable);
  Bodies<Real> const bodies(count, seed);
  double const interactions = static_cast<double>(count) * static_cast<double>(count);
  std::vector<Row> rows;
  for (Form const& form : forms_of(bodies.attraction())) {
    Row row;
    row.problem =
        std::string("gravity of bodies, ") + (sizeof(Real) == 4 ? "single, " : "double, ") + std::to_string(count);
    row.form = form.words;
    row.operations = operations_of_interaction * interactions;
    Kokkos::deep_copy(bodies.acceleration(), std::numeric_limits<Real>::quiet_NaN());
    form.enqueue();
    check(row.problem + ", " + form.words, bodies, expected);
    double const clock = clock_during([&] { row.seconds = time_each(form.enqueue, repetitions); });
    row.rate = {"interactions", interactions, most_interactions_per_second<Real>(clock), clock};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<Row> nbody(Options const& options) {
  constexpr Index largest = Index{1} << 22U;
  if (options.size > largest) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest) + " bodies");
  }
  std::vector<Row> rows;
  for (Index const count : sizes(options, 1, {16384}, {65536, 262144})) {
    std::ranges::move(time_bodies<float>(count, options.repetitions), std::back_inserter(rows));
    std::ranges::move(time_bodies<double>(count, options.repetitions), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace halocline::benchmarking
