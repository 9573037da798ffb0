#include "physics/nbody/attraction.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "framework/runtime/stop.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "physics/nbody/cuda.hpp"
#endif

namespace halocline::nbody {
namespace {

constexpr std::size_t beyond = 3;  ///< numbers after the last target's, which must stay untouched
constexpr double untouched = 77;

template <class Real>
using Sources = std::vector<Source<Real>>;
/// Each sum (x, y and z of an acceleration) of each target, followed by some guard values.
template <class Interaction>
using Sums = std::array<std::vector<typename Interaction::Real>, Interaction::sums>;

template <class Interaction>
Sums<Interaction> sums_of(std::size_t targets, typename Interaction::Real value) {
  Sums<Interaction> all;
  for (auto& values : all) {
    values.assign(targets, value);
    values.resize(targets + beyond, static_cast<typename Interaction::Real>(untouched));
  }
  return all;
}

template <class Interaction>
struct Case {
  Sources<typename Interaction::Real> targets, sources;
  double softening = 0;
  bool adds = false;
  Index self = Pairs<typename Interaction::Real>::nowhere;
  std::size_t every = 1;  ///< every n-th target is compared
  Sums<Interaction> before = sums_of<Interaction>(targets.size(), 0);
};

template <class Value>
Kokkos::View<Value*, Memory> on_device(std::vector<Value> const& values) {
  Kokkos::View<Value const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(), values.size());
  Kokkos::View<Value*, Memory> device("values", values.size());
  Kokkos::deep_copy(device, host);
  return device;
}

/// A form, or a variant of one.
template <class Interaction>
struct Way {
  std::string name;
  std::function<void(Execution const&, Interaction const&)> sum_pairs;
};
template <class Interaction>
std::vector<Way<Interaction>> ways() {
  std::vector<Way<Interaction>> all;
  for (Form const form : forms()) {
    all.push_back({to_string(form), [=](Execution const& execution, Interaction const& interaction) {
                     sum_pairs(execution, interaction, form);
                   }});
  }
#if defined(KOKKOS_ENABLE_CUDA)
  for (int const targets : cuda::blockings<typename Interaction::Real>()) {
    all.push_back({"cuda, targets of a thread: " + std::to_string(targets),
                   [=](Execution const& execution, Interaction const& interaction) {
                     cuda::sum_pairs(execution, interaction, targets);
                   }});
  }
#endif
  return all;
}

template <class Real>
void set_results(Attraction<Real>& attraction, std::array<Kokkos::View<Real*, Memory>, 3> const& to) {
  attraction.acceleration = {to[0].data(), to[1].data(), to[2].data()};
}
template <class Real>
void set_results(Potential<Real>& potential, std::array<Kokkos::View<Real*, Memory>, 1> const& to) {
  potential.potential = to[0].data();
}

template <class Interaction>
Sums<Interaction> computed(Way<Interaction> const& way, Case<Interaction> const& one) {
  using Real = typename Interaction::Real;
  Execution const execution;
  auto const targets = on_device(one.targets);
  auto const sources = on_device(one.sources);
  Interaction interaction{
      {targets.data(), static_cast<Index>(one.targets.size()), sources.data(), static_cast<Index>(one.sources.size()),
       static_cast<Real>(one.softening), one.adds, one.self},
      {}};
  std::array<Kokkos::View<Real*, Memory>, Interaction::sums> device;
  for (std::size_t n = 0; n < device.size(); ++n) device[n] = on_device(one.before[n]);
  set_results(interaction, device);
  way.sum_pairs(execution, interaction);
  execution.fence();
  Sums<Interaction> all = one.before;
  for (std::size_t n = 0; n < device.size(); ++n) {
    Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(all[n].data(), all[n].size());
    Kokkos::deep_copy(host, device[n]);
  }
  return all;
}

/// Whether a source at the position of another target contributes.
template <class Interaction>
bool counts_in_one_place(double softening) {
  return !Interaction::fades && softening * softening >= std::numeric_limits<typename Interaction::Real>::min();
}

/// The term of a source at distance d, in double precision; d2 is the squared distance with softening.
template <class Real>
std::array<double, 3> term(Attraction<Real> const*, std::array<double, 3> const& d, double d2, double mass) {
  double const weight = mass / (d2 * std::sqrt(d2));
  return {weight * d[0], weight * d[1], weight * d[2]};
}
template <class Real>
std::array<double, 1> term(Potential<Real> const*, std::array<double, 3> const&, double d2, double mass) {
  return {-mass / std::sqrt(d2)};
}

/// The sums of one target in double precision, and the sums of the absolute terms.
template <class Interaction>
struct Expected {
  std::array<double, Interaction::sums> value{};
  std::array<double, Interaction::sums> terms{};
};

template <class Interaction>
Expected<Interaction> plain_sum(Case<Interaction> const& one, std::size_t i) {
  using Real = typename Interaction::Real;
  Expected<Interaction> all;
  for (std::size_t n = 0; n < all.value.size() && one.adds; ++n) {
    all.value[n] = static_cast<double>(one.before[n][i]);
    all.terms[n] = std::abs(all.value[n]);
  }
  auto const softening = static_cast<double>(static_cast<Real>(one.softening));
  Source<Real> const at = one.targets[i];
  for (std::size_t j = 0; j < one.sources.size(); ++j) {
    Source<Real> const& from = one.sources[j];
    std::array<double, 3> const d{static_cast<double>(from.x) - static_cast<double>(at.x),
                                  static_cast<double>(from.y) - static_cast<double>(at.y),
                                  static_cast<double>(from.z) - static_cast<double>(at.z)};
    double const distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (static_cast<Index>(j) == one.self + static_cast<Index>(i)) continue;
    if (distance == 0 && !counts_in_one_place<Interaction>(softening)) continue;
    auto const values = term(static_cast<Interaction const*>(nullptr), d, distance + softening * softening,
                             static_cast<double>(from.mass));
    for (std::size_t n = 0; n < values.size(); ++n) {
      all.value[n] += values[n];
      all.terms[n] += std::abs(values[n]);
    }
  }
  return all;
}

template <class Interaction>
void expect_plain_sum(Way<Interaction> const& way, Case<Interaction> const& one) {
  using Real = typename Interaction::Real;
  SCOPED_TRACE(way.name + ", " + std::to_string(8 * sizeof(Real)) + " bits, " + std::to_string(Interaction::sums) +
               " sums, " + std::to_string(one.targets.size()) + " targets, " + std::to_string(one.sources.size()) +
               " sources, softening " + std::to_string(one.softening) + (one.adds ? ", adds" : ""));
  Sums<Interaction> const all = computed(way, one);
  // Each term has about ten roundings, including those of its distance, and the sum has one per term.
  double const tolerance = (16 + static_cast<double>(one.sources.size())) * std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < one.targets.size(); i += one.every) {
    Expected<Interaction> const expected = plain_sum(one, i);
    for (std::size_t n = 0; n < all.size(); ++n) {
      ASSERT_NEAR(static_cast<double>(all[n][i]), expected.value[n], tolerance * expected.terms[n])
          << "target " << i << ", sum " << n;
    }
  }
  for (auto const& values : all) {
    for (std::size_t n = one.targets.size(); n < values.size(); ++n) ASSERT_EQ(values[n], static_cast<Real>(untouched));
  }
}

/// Bodies in a cube. The targets are in the middle of the sources, if there are enough of these. Every seventh source
/// has the position of the one before it.
template <class Interaction>
Case<Interaction> random_case(std::size_t targets, std::size_t sources, double softening, bool adds) {
  using Real = typename Interaction::Real;
  std::mt19937_64 numbers(targets + 1000 * sources);
  std::uniform_real_distribution<double> place(-1, 1);
  auto const bodies = [&](std::size_t count) {
    Sources<Real> all;
    for (std::size_t n = 0; n < count; ++n) {
      double const values[] = {place(numbers), place(numbers), place(numbers), 1 + place(numbers)};
      all.push_back({static_cast<Real>(values[0]), static_cast<Real>(values[1]), static_cast<Real>(values[2]),
                     static_cast<Real>(values[3])});
      if (n % 7 == 6) {
        Real const mass = all[n].mass;
        all[n] = all[n - 1];
        all[n].mass = mass;
      }
    }
    return all;
  };
  Case<Interaction> one{bodies(targets), bodies(sources), softening, adds};
  std::size_t const self = targets < sources ? (sources - targets) / 2 : 0;
  one.self = static_cast<Index>(self);
  std::copy_n(one.targets.begin(), std::min(targets, sources), one.sources.begin() + one.self);
  for (std::size_t i = 0; i < targets; ++i) {
    // Existing values are kept where results are added, and do not matter otherwise.
    for (auto& values : one.before)
      values[i] = adds ? static_cast<Real>(place(numbers)) : std::numeric_limits<Real>::quiet_NaN();
  }
  return one;
}

template <class Interaction>
void expect_plain_sums() {
  for (Way<Interaction> const& way : ways<Interaction>()) {
    for (std::size_t const count : {1, 2, 3, 31, 257, 1000}) {
      for (double const softening : {0.0, 0.1}) {
        expect_plain_sum(way, random_case<Interaction>(count, count, softening, false));
        expect_plain_sum(way, random_case<Interaction>(count, 1001 - count, softening, true));
        expect_plain_sum(way, random_case<Interaction>(1001 - count, count, softening, false));
      }
    }
  }
}

TEST(Attraction, IsThatOfAPlainSumInDoublePrecision) {
  expect_plain_sums<Attraction<float>>();
  expect_plain_sums<Attraction<double>>();
}

TEST(Potential, IsThatOfAPlainSumInDoublePrecision) {
  expect_plain_sums<Potential<float>>();
  expect_plain_sums<Potential<double>>();
}

#if defined(KOKKOS_ENABLE_CUDA)
template <class Interaction>
void expect_plain_sum_of_many(std::size_t targets, double softening, bool adds) {
  auto one = random_case<Interaction>(targets, 2999, softening, adds);
  one.every = 101;
  for (Way<Interaction> const& way : ways<Interaction>()) expect_plain_sum(way, one);
}

/// Enough bodies that blocks of threads process several tiles of targets.
TEST(Attraction, OfManyBodiesIsThatOfAPlainSumToo) {
  expect_plain_sum_of_many<Attraction<float>>(200001, 0.1, true);
  expect_plain_sum_of_many<Attraction<double>>(100001, 0, false);
}

TEST(Potential, OfManyBodiesIsThatOfAPlainSumToo) {
  expect_plain_sum_of_many<Potential<float>>(200001, 0, true);
  expect_plain_sum_of_many<Potential<double>>(100001, 0.1, false);
}
#endif

/// 5 targets, which either are among the 37 sources or are not.
template <class Interaction>
void expect_sums_in_one_place(double softening, double mass, Index self) {
  using Real = typename Interaction::Real;
  auto const length = static_cast<double>(static_cast<Real>(softening));
  double const others = self < 0 ? 37 : 36;
  double const expected =
      mass != 0 && counts_in_one_place<Interaction>(length) ? -others * static_cast<Real>(mass) / length : 0;
  for (Way<Interaction> const& way : ways<Interaction>()) {
    SCOPED_TRACE(way.name + ", softening " + std::to_string(softening) + ", mass " + std::to_string(mass));
    Source<Real> const body{1, -2, 3, static_cast<Real>(mass)};
    Case<Interaction> one{Sources<Real>(5, body), Sources<Real>(37, body), softening, false, self};
    for (auto const& values : computed(way, one)) {
      for (std::size_t i = 0; i < 5; ++i) {
        auto const value = static_cast<double>(values[i]);
        if (std::abs(expected) > static_cast<double>(std::numeric_limits<Real>::max())) {
          EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
        } else {
          EXPECT_NEAR(value, expected, 53 * std::numeric_limits<Real>::epsilon() * std::abs(expected));
        }
      }
    }
  }
}

template <template <class> class Interaction>
void expect_sums_in_any_one_place() {
  for (Index const self : {Index{0}, Index{30}, Pairs<float>::nowhere}) {
    for (double const softening : {0.0, 1e-30, 1e-18, 1e-12, 1e-6, 0.1, 1.0}) {
      for (double const mass : {0.0, 1e-12, 1.0, 2e30}) {
        expect_sums_in_one_place<Interaction<float>>(softening, mass, self);
        expect_sums_in_one_place<Interaction<double>>(softening, mass, self);
      }
    }
    expect_sums_in_one_place<Interaction<double>>(1e-160, 1, self);
  }
}

TEST(Attraction, OfBodiesInOnePlaceIsNone) { expect_sums_in_any_one_place<Attraction>(); }

TEST(Potential, OfBodiesInOnePlaceIsThatOfTheOthersIfSoftened) { expect_sums_in_any_one_place<Potential>(); }

template <class Interaction>
void expect_none_of_no_sources() {
  for (Way<Interaction> const& way : ways<Interaction>()) {
    auto one = random_case<Interaction>(3, 0, 0.1, true);
    EXPECT_EQ(computed(way, one), one.before) << way.name;
    one.adds = false;
    EXPECT_EQ(computed(way, one), sums_of<Interaction>(3, 0)) << way.name;
  }
}

TEST(Attraction, OfNoSourcesIsNone) { expect_none_of_no_sources<Attraction<float>>(); }

TEST(Potential, OfNoSourcesIsNone) { expect_none_of_no_sources<Potential<float>>(); }

template <class Interaction>
void expect_the_same_bits() {
  for (Way<Interaction> const& way : ways<Interaction>()) {
    auto const one = random_case<Interaction>(700, 5003, 0.01, true);
    EXPECT_EQ(computed(way, one), computed(way, one)) << way.name;
  }
}

/// In parts so small that there are two.
template <class Interaction>
Case<Interaction> two_parts() {
  return random_case<Interaction>(static_cast<std::size_t>(64 * Execution().concurrency() + 1), 1000, 0.1, false);
}
template <class Interaction>
Way<Interaction> in_parts(Form form) {
  return {"in parts", [=](Execution const& execution, Interaction const& interaction) {
            sum_pairs_until_stopped(execution, interaction, form, 1);
          }};
}

template <class Interaction>
void expect_the_same_bits_in_parts() {
  auto const one = two_parts<Interaction>();
  for (Form const form : forms()) {
    Way<Interaction> const whole{"whole", [=](Execution const& execution, Interaction const& interaction) {
                                   sum_pairs(execution, interaction, form);
                                 }};
    EXPECT_EQ(computed(in_parts<Interaction>(form), one), computed(whole, one)) << to_string(form);
  }
}

TEST(Attraction, InPartsHasTheSameBits) { expect_the_same_bits_in_parts<Attraction<double>>(); }

TEST(Potential, InPartsHasTheSameBits) { expect_the_same_bits_in_parts<Potential<float>>(); }

TEST(Attraction, EndsWithASignalBetweenParts) {
  using Interaction = Attraction<float>;
  StopSignals const signals;
  raise(SIGTERM);
  Way<Interaction> const in_one{"in one part", [](Execution const& execution, Interaction const& interaction) {
                                  sum_pairs_until_stopped(execution, interaction, forms().front());
                                }};
  EXPECT_NO_THROW(computed(in_one, two_parts<Interaction>()));
  if constexpr (memory_on_host) {
    EXPECT_THROW(computed(in_parts<Interaction>(forms().front()), two_parts<Interaction>()), StoppedError);
  }
}

TEST(Attraction, RepeatsToTheBit) { expect_the_same_bits<Attraction<float>>(); }

TEST(Potential, RepeatsToTheBit) { expect_the_same_bits<Potential<float>>(); }

}  // namespace
}  // namespace halocline::nbody
