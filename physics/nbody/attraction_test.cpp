#include "physics/nbody/attraction.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include "physics/nbody/cuda.hpp"
#endif

namespace halocline::nbody {
namespace {

constexpr std::size_t beyond = 3;  ///< numbers after the last target's, which nobody may touch
constexpr double untouched = 77;

template <class Real>
using Sources = std::vector<Source<Real>>;
/// x, y and z of each target, and some numbers beyond.
template <class Real>
using Accelerations = std::array<std::vector<Real>, 3>;

template <class Real>
Accelerations<Real> accelerations_of(Index targets, Real value) {
  std::vector<Real> all(static_cast<std::size_t>(targets), value);
  all.resize(all.size() + beyond, static_cast<Real>(untouched));
  return {all, all, all};
}

template <class Real>
struct Case {
  Sources<Real> targets, sources;
  double softening = 0;
  bool adds = false;
  std::size_t every = 1;  ///< so many targets one is compared
  Accelerations<Real> before = accelerations_of<Real>(static_cast<Index>(targets.size()), 0);
};

template <class Value>
Kokkos::View<Value*, Memory> on_device(std::vector<Value> const& values) {
  Kokkos::View<Value const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(), values.size());
  Kokkos::View<Value*, Memory> device("values", values.size());
  Kokkos::deep_copy(device, host);
  return device;
}

/// A form, or a variant of one.
template <class Real>
struct Way {
  std::string name;
  std::function<void(Execution const&, Attraction<Real> const&)> attract;
};
template <class Real>
std::vector<Way<Real>> ways() {
  std::vector<Way<Real>> all;
  for (Form const form : forms()) {
    all.push_back({to_string(form), [=](Execution const& execution, Attraction<Real> const& attraction) {
                     attract(execution, attraction, form);
                   }});
  }
#if defined(KOKKOS_ENABLE_CUDA)
  for (int const targets : cuda::blockings<Real>()) {
    all.push_back({"cuda, targets of a thread: " + std::to_string(targets),
                   [=](Execution const& execution, Attraction<Real> const& attraction) {
                     cuda::attract(execution, attraction, targets);
                   }});
  }
#endif
  return all;
}

template <class Real>
Accelerations<Real> computed(Way<Real> const& way, Case<Real> const& one) {
  Execution const execution;
  auto const targets = on_device(one.targets);
  auto const sources = on_device(one.sources);
  std::array<Kokkos::View<Real*, Memory>, 3> device;
  Attraction<Real> attraction{targets.data(),
                              static_cast<Index>(one.targets.size()),
                              sources.data(),
                              static_cast<Index>(one.sources.size()),
                              static_cast<Real>(one.softening),
                              {},
                              one.adds};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    device[axis] = on_device(one.before[axis]);
    attraction.acceleration[axis] = device[axis].data();
  }
  way.attract(execution, attraction);
  execution.fence();
  Accelerations<Real> all = one.before;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(all[axis].data(), all[axis].size());
    Kokkos::deep_copy(host, device[axis]);
  }
  return all;
}

/// The attraction of one target in double precision, and the sums of the absolute terms.
struct Expected {
  double value[3] = {};
  double terms[3] = {};
};

template <class Real>
Expected plain_sum(Case<Real> const& one, std::size_t i) {
  Expected all;
  for (std::size_t axis = 0; axis < 3 && one.adds; ++axis) {
    all.value[axis] = static_cast<double>(one.before[axis][i]);
    all.terms[axis] = std::abs(all.value[axis]);
  }
  auto const softening = static_cast<double>(static_cast<Real>(one.softening));
  Source<Real> const at = one.targets[i];
  for (Source<Real> const& from : one.sources) {
    double const d[] = {static_cast<double>(from.x) - static_cast<double>(at.x),
                        static_cast<double>(from.y) - static_cast<double>(at.y),
                        static_cast<double>(from.z) - static_cast<double>(at.z)};
    double const distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (distance == 0) continue;
    double const d2 = distance + softening * softening;
    double const weight = static_cast<double>(from.mass) / (d2 * std::sqrt(d2));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all.value[axis] += weight * d[axis];
      all.terms[axis] += std::abs(weight * d[axis]);
    }
  }
  return all;
}

template <class Real>
void expect_plain_sum(Way<Real> const& way, Case<Real> const& one) {
  SCOPED_TRACE(way.name + ", " + std::to_string(8 * sizeof(Real)) + " bits, " + std::to_string(one.targets.size()) +
               " targets, " + std::to_string(one.sources.size()) + " sources, softening " +
               std::to_string(one.softening) + (one.adds ? ", adds" : ""));
  Accelerations<Real> const all = computed(way, one);
  // Each term has some ten roundings, those of its distance included, and their sum has one for each.
  double const tolerance = (16 + static_cast<double>(one.sources.size())) * std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < one.targets.size(); i += one.every) {
    Expected const expected = plain_sum(one, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(static_cast<double>(all[axis][i]), expected.value[axis], tolerance * expected.terms[axis])
          << "target " << i << ", axis " << axis;
    }
  }
  for (auto const& values : all) {
    for (std::size_t n = one.targets.size(); n < values.size(); ++n) ASSERT_EQ(values[n], static_cast<Real>(untouched));
  }
}

/// Bodies in a cube, the first target among the sources, every seventh source where the one before it is.
template <class Real>
Case<Real> random_case(std::size_t targets, std::size_t sources, double softening, bool adds) {
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
  Case<Real> one{bodies(targets), bodies(sources), softening, adds};
  std::copy_n(one.targets.begin(), std::min(targets, sources), one.sources.begin());
  for (std::size_t i = 0; i < targets; ++i) {
    // What is there is kept where it is added to, and is of no matter otherwise.
    for (auto& values : one.before)
      values[i] = adds ? static_cast<Real>(place(numbers)) : std::numeric_limits<Real>::quiet_NaN();
  }
  return one;
}

template <class Real>
void expect_plain_sums() {
  for (Way<Real> const& way : ways<Real>()) {
    for (std::size_t const count : {1, 2, 3, 31, 257, 1000}) {
      for (double const softening : {0.0, 0.1}) {
        expect_plain_sum(way, random_case<Real>(count, count, softening, false));
        expect_plain_sum(way, random_case<Real>(count, 1001 - count, softening, true));
        expect_plain_sum(way, random_case<Real>(1001 - count, count, softening, false));
      }
    }
  }
}

TEST(Attraction, IsThatOfAPlainSumInDoublePrecision) {
  expect_plain_sums<float>();
  expect_plain_sums<double>();
}

#if defined(KOKKOS_ENABLE_CUDA)
/// So many that blocks of threads go through several tiles of targets.
TEST(Attraction, OfManyBodiesIsThatOfAPlainSumToo) {
  Case<float> single = random_case<float>(200001, 2999, 0.1, true);
  Case<double> twice = random_case<double>(100001, 2999, 0, false);
  single.every = twice.every = 101;
  for (Way<float> const& way : ways<float>()) expect_plain_sum(way, single);
  for (Way<double> const& way : ways<double>()) expect_plain_sum(way, twice);
}
#endif

template <class Real>
void expect_none_in_one_place(double softening, double mass) {
  for (Way<Real> const& way : ways<Real>()) {
    Source<Real> const body{1, -2, 3, static_cast<Real>(mass)};
    Accelerations<Real> const all =
        computed(way, Case<Real>{Sources<Real>(5, body), Sources<Real>(37, body), softening});
    for (auto const& values : all) {
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(values[i], 0) << way.name << ", softening " << softening << ", mass " << mass;
      }
    }
  }
}

TEST(Attraction, OfBodiesInOnePlaceIsNone) {
  for (double const softening : {0.0, 1e-30, 1e-18, 1e-12, 1e-6, 0.1}) {
    for (double const mass : {0.0, 1e-12, 1.0, 2e30}) {
      expect_none_in_one_place<float>(softening, mass);
      expect_none_in_one_place<double>(softening, mass);
    }
  }
  expect_none_in_one_place<double>(1e-160, 1);
}

TEST(Attraction, OfNoSourcesIsNone) {
  for (Way<float> const& way : ways<float>()) {
    Case<float> one = random_case<float>(3, 0, 0.1, true);
    EXPECT_EQ(computed(way, one), one.before) << way.name;
    one.adds = false;
    EXPECT_EQ(computed(way, one), accelerations_of<float>(3, 0)) << way.name;
  }
}

TEST(Attraction, RepeatsToTheBit) {
  for (Way<float> const& way : ways<float>()) {
    Case<float> const one = random_case<float>(700, 5003, 0.01, true);
    EXPECT_EQ(computed(way, one), computed(way, one)) << way.name;
  }
}

}  // namespace
}  // namespace halocline::nbody
