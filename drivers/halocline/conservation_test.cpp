#include "drivers/halocline/conservation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

SolveReport solve_with(double true_residual) {
  SolveReport report;
  report.true_residual = true_residual;
  return report;
}

TEST(Conservation, KeepsTheLargestDriftAndTheLastValue) {
  Conservation watch({"mass"}, {{"volume", 1}, {"mass", 4}}, 100, Precision::double_);
  watch.add_state({{"volume", 2}, {"mass", 5}});
  watch.add_state({{"volume", 2}, {"mass", 3.5}});
  ASSERT_EQ(watch.quantities().size(), 1U);
  ConservedQuantity const& mass = watch.quantities().front();
  EXPECT_EQ(mass.name, "mass");
  EXPECT_EQ(mass.initial, 4);
  EXPECT_EQ(mass.final, 3.5);
  EXPECT_EQ(mass.largest_drift, 0.25);
  EXPECT_THAT(
      watch.warnings(),
      testing::ElementsAre(testing::StartsWith("`mass` should be conserved, but drifted by 0.25 of its size; ")));
}

TEST(Conservation, RoundingExplainsAFewDigitsOfEveryStep) {
  Conservation watch({"mass"}, {{"mass", 4}}, 100, Precision::double_);
  watch.add_step({});
  watch.add_step({});
  EXPECT_DOUBLE_EQ(watch.quantities().front().explained_drift, (10 + 2 * 8) * epsilon);
  watch.add_state({{"mass", 4 + 4 * 25 * epsilon}});
  EXPECT_THAT(watch.warnings(), testing::IsEmpty());
  watch.add_state({{"mass", 4 + 4 * 27 * epsilon}});
  EXPECT_EQ(watch.warnings().size(), 1U);
}

TEST(Conservation, SinglePrecisionRoundsMore) {
  Conservation const watch({"mass"}, {{"mass", 4}}, 100, Precision::single);
  EXPECT_DOUBLE_EQ(watch.quantities().front().explained_drift, 10 * std::numeric_limits<float>::epsilon());
}

TEST(Conservation, SolvesExplainWhatTheyLeaveOfTheirResiduals) {
  Conservation watch({"mass"}, {{"mass", 4}}, 100, Precision::double_);
  watch.add_step({solve_with(1e-3), solve_with(2e-3)});
  // 2 sqrt(100) 3e-3 / 4
  EXPECT_NEAR(watch.quantities().front().explained_drift, 0.015, 0.015 * 1e-10);
}

TEST(Conservation, WhatBeginsAtRestHasItsSizeLater) {
  Conservation watch({"mass", "momentum"}, {{"mass", 4, 4}, {"momentum", 0, 0}}, 100, Precision::double_);
  // Only rounding, compared with a mass of 4.
  watch.add_state({{"mass", 4, 4}, {"momentum", 1e-17, 1e-16}});
  EXPECT_EQ(watch.quantities()[1].largest_drift, 0);
  watch.add_state({{"mass", 4, 4}, {"momentum", 1e-3, 2}});
  EXPECT_DOUBLE_EQ(watch.quantities()[1].largest_drift, 5e-4);
  EXPECT_EQ(watch.warnings().size(), 1U);
}

TEST(Conservation, ASumThatCancelsIsMeasuredByItsTerms) {
  Conservation watch({"momentum"}, {{"momentum", 1e-17, 2.0}}, 100, Precision::double_);
  watch.add_state({{"momentum", 5 * epsilon, 2.0}});
  EXPECT_NEAR(watch.quantities().front().largest_drift, 2.5 * epsilon, 0.1 * epsilon);
  EXPECT_THAT(watch.warnings(), testing::IsEmpty());
}

TEST(Conservation, WhatIsNoNumberIsNoComfort) {
  Conservation watch({"mass"}, {{"mass", 4}}, 100, Precision::double_);
  watch.add_state({{"mass", std::nan("")}});
  watch.add_state({{"mass", 4}});
  EXPECT_TRUE(std::isnan(watch.quantities().front().largest_drift));
  EXPECT_EQ(watch.warnings().size(), 1U);
}

TEST(Conservation, ANameThatIsNoQuantityIsADefect) {
  try {
    Conservation const watch({"charge"}, {{"mass", 4}}, 100, Precision::double_);
    ADD_FAILURE() << "nothing thrown";
  } catch (DefectError const& error) {
    EXPECT_STREQ(error.what(), "the physics declares `charge` conserved, but has no such quantity");
  }
}

}  // namespace
}  // namespace halocline
