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
#include <type_traits>

#include "bench/clock.hpp"
#include "bench/measure.hpp"
#include "bench/nbody_bound.hpp"
#include "framework/operator/vector_functors.hpp"
#include "physics/nbody/attraction.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "bench/reference_nbody.hpp"
#include "framework/runtime/devices.hpp"
#include "physics/nbody/cuda.hpp"
#endif

namespace halocline::benchmarking {
namespace {

constexpr double softening = 0.05;
/// As counted in the literature: 3 differences, 6 for the distance, 4 for the root and the weight, 6 for the sums, 1
/// more.
constexpr double operations_of_attraction = 20;
/// 3 differences, 6 for the distance, 1 for the root, 2 for the sum.
constexpr double operations_of_potential = 12;

/// Bodies of equal mass in a cube. They are single-precision numbers, so that they are the same in every precision.
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

/// A computation on bodies: its texts and known costs.
template <class Interaction>
struct Work;
template <class Real>
struct Work<nbody::Attraction<Real>> {
  static constexpr char const* words = "gravity of bodies";
  static constexpr double operations = operations_of_attraction;
  static double most_per_second(double clock) { return most_interactions_per_second<Real>(clock); }
  static nbody::Attraction<Real> of(nbody::Pairs<Real> const& pairs, Real* results) {
    return {pairs, {results, results + pairs.target_count, results + 2 * pairs.target_count}};
  }
};
template <class Real>
struct Work<nbody::Potential<Real>> {
  static constexpr char const* words = "potential of bodies";
  static constexpr double operations = operations_of_potential;
  static double most_per_second(double) { return 0; }
  static nbody::Potential<Real> of(nbody::Pairs<Real> const& pairs, Real* results) { return {pairs, results}; }
};

/// Bodies, and the results of their interaction.
template <class Interaction>
class Bodies {
 public:
  using Real = typename Interaction::Real;
  Bodies(Index count, std::uint64_t seed)
      : bodies_("bodies", static_cast<std::size_t>(count)), results_("results", Interaction::sums, bodies_.extent(0)) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, count),
                         FillWithBodies<Real>{bodies_.data(), count, seed});
  }
  [[nodiscard]] Interaction interaction() const {
    auto const count = static_cast<Index>(bodies_.extent(0));
    nbody::Pairs<Real> const all{bodies_.data(), count, bodies_.data(), count, static_cast<Real>(softening), false, 0};
    return Work<Interaction>::of(all, results_.data());
  }
  [[nodiscard]] Kokkos::View<Real**, Kokkos::LayoutRight, Memory> results() const { return results_; }
  [[nodiscard]] std::vector<nbody::Source<Real>> on_host() const {
    std::vector<nbody::Source<Real>> all(bodies_.extent(0));
    Kokkos::deep_copy(
        Kokkos::View<nbody::Source<Real>*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()),
        bodies_);
    return all;
  }

 private:
  Kokkos::View<nbody::Source<Real>*, Memory> bodies_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> results_;
};

/// Sums of squares: of the differences of two arrays, and of the second array.
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

/// Throws DefectError if results differ from those of the portable form in double precision. The roundings of a sum of
/// n terms count as a random walk, measured in the root mean square over all bodies.
template <class Interaction, class Reference>
void check(std::string const& what, Bodies<Interaction> const& bodies, Bodies<Reference> const& expected) {
  using Real = typename Interaction::Real;
  auto const values = bodies.results();
  auto const count = static_cast<Index>(values.size());
  double difference = 0;
  double all = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(0, count),
                          AddSquares<Real>{values.data(), expected.results().data()}, difference, all);
  double const terms = static_cast<double>(values.extent(1)) + 64;
  double const tolerance = 4 * std::sqrt(terms) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  if (!(std::sqrt(difference) <= tolerance * std::sqrt(all))) {
    throw DefectError(what + ": results differ from those of the portable form by " +
                      std::to_string(std::sqrt(difference / all)) + " of them");
  }
}

/// The implementations of the sums of some bodies. A run uses the first.
template <class Interaction>
std::vector<Form> forms_of(Interaction const& interaction) {
  std::vector<Form> all;
  for (nbody::Form const form : nbody::forms()) {
    all.push_back({to_string(form), [=] { nbody::sum_pairs(Execution{}, interaction, form); }});
  }
#if defined(KOKKOS_ENABLE_CUDA)
  for (int const targets : nbody::cuda::blockings<typename Interaction::Real>()) {
    all.push_back({"cuda, bodies a thread: " + std::to_string(targets),
                   [=] { nbody::cuda::sum_pairs(Execution{}, interaction, targets); }});
  }
  if constexpr (std::is_same_v<Interaction, nbody::Attraction<float>>) {
    all.push_back({"reference: one body a thread, 300 x 256 threads, tiles of 256 bodies",
                   [=] { attract_by_tiles(Execution{}, interaction); }});
    all.push_back({"reference: one body a thread, 300 x 256 threads, loop over tiles unrolled",
                   [=] { attract_as_listed(Execution{}, interaction); }});
  }
#endif
  return all;
}

template <class Interaction, class Reference>
std::vector<Row> time_bodies(Bodies<Reference> const& expected, Index count, std::uint64_t seed, int repetitions) {
  using Real = typename Interaction::Real;
  Bodies<Interaction> const bodies(count, seed);
  double const interactions = static_cast<double>(count) * static_cast<double>(count);
  std::vector<Row> rows;
  for (Form const& form : forms_of(bodies.interaction())) {
    Row row;
    row.problem = std::string(Work<Interaction>::words) + (sizeof(Real) == 4 ? ", single, " : ", double, ") +
                  std::to_string(count);
    row.form = form.words;
    row.operations = Work<Interaction>::operations * interactions;
    Kokkos::deep_copy(bodies.results(), std::numeric_limits<Real>::quiet_NaN());
    form.enqueue();
    check(row.problem + ", " + form.words, bodies, expected);
    double const clock = clock_during([&] { row.seconds = time_each(form.enqueue, repetitions); });
    row.rate = {"interactions", interactions, Work<Interaction>::most_per_second(clock), clock};
    rows.push_back(row);
  }
  return rows;
}

/// In single and in double precision.
template <template <class> class Interaction>
void time_both(std::vector<Row>& rows, Index count, int repetitions) {
  std::uint64_t const seed = fresh_seed();
  Bodies<Interaction<double>> const expected(count, seed);
  nbody::sum_pairs(Execution{}, expected.interaction(), nbody::Form::portable);
  std::ranges::move(time_bodies<Interaction<float>>(expected, count, seed, repetitions), std::back_inserter(rows));
  std::ranges::move(time_bodies<Interaction<double>>(expected, count, seed, repetitions), std::back_inserter(rows));
}

/// Numbers of bodies.
std::vector<Index> counts(Options const& options) {
  constexpr Index largest = Index{1} << 22U;
  if (options.size > largest) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest) + " bodies");
  }
  return sizes(options, 1, {16384}, {65536, 262144});
}

}  // namespace

std::vector<Row> nbody(Options const& options) {
  std::vector<Row> rows;
  for (Index const count : counts(options)) {
    time_both<nbody::Attraction>(rows, count, options.repetitions);
    time_both<nbody::Potential>(rows, count, options.repetitions);
  }
  return rows;
}

#if defined(KOKKOS_ENABLE_CUDA)
std::vector<Row> nbody_devices(Options const& options) {
  std::vector<Row> rows;
  for (Index const count : counts(options)) {
    std::uint64_t const seed = fresh_seed();
    Bodies<nbody::Attraction<double>> const expected(count, seed);
    nbody::sum_pairs(Execution{}, expected.interaction(), nbody::Form::portable);
    Bodies<nbody::Attraction<float>> const bodies(count, seed);
    double const interactions = static_cast<double>(count) * static_cast<double>(count);
    std::vector<int> devices;
    for (Device const& device : all_devices()) {
      devices.push_back(device.number);
      AttractionFromHost attraction(devices, bodies.on_host(), static_cast<float>(softening));
      for (bool const allocates : {true, false}) {
        Row row;
        row.problem = "gravity of bodies, single, " + std::to_string(count);
        row.form = "reference: " + std::to_string(devices.size()) + (devices.size() == 1 ? " device" : " devices") +
                   " from host memory, " + (allocates ? "with allocations" : "allocated before");
        row.operations = operations_of_attraction * interactions;
        row.rate = {"interactions", interactions, 0, 0};
        (void)attraction.run(allocates);
        std::vector<float> accelerations = attraction.accelerations();
        Kokkos::deep_copy(bodies.results(),
                          Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                              accelerations.data(), 3, count));
        check(row.problem + ", " + row.form, bodies, expected);
        for (int n = 0; n < options.repetitions; ++n) row.seconds.push_back(attraction.run(allocates));
        std::ranges::sort(row.seconds);
        rows.push_back(row);
      }
    }
  }
  return rows;
}
#endif

}  // namespace halocline::benchmarking
