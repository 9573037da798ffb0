#include "solvers/time/time_section.hpp"

#include <gtest/gtest.h>

#include <string>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

std::string mistakes_of(std::string const& time) {
  Section root("", "A deck.");
  root.section(time_section());
  root.check([](Options const& deck, Mistakes& mistakes) { validate_time(deck.section("time"), mistakes); });
  try {
    static_cast<void>(Deck("deck", "time: " + time).read(root));
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(TimeSection, AsksForAStepAndOneWayToEnd) {
  EXPECT_EQ(mistakes_of("{step: 0.1, steps: 3}"), "");
  EXPECT_EQ(mistakes_of("{step: 0.1, end: 3, method: crank_nicolson}"), "");
  EXPECT_EQ(mistakes_of("{start: 1}"),
            "`time.step`: missing (deck:1:1); give `step` or `courant`\n`time.steps`: missing (deck:1:1); give `steps` "
            "or `end`");
  EXPECT_EQ(mistakes_of("{step: 0.1, steps: 3, end: 1}"),
            "`time.end`: given together with `steps` (deck:1:34); give one of them");
  EXPECT_EQ(mistakes_of("{step: 0.1, start: 2, end: 1}"), "`time.end`: lies before `start` (deck:1:34)");
}

TEST(TimeSection, TakesAPartOfTheLongestStableStepInPlaceOfAStep) {
  EXPECT_EQ(mistakes_of("{courant: 0.8, end: 3}"), "");
  EXPECT_EQ(mistakes_of("{courant: 1, steps: 3}"), "");
  EXPECT_EQ(mistakes_of("{courant: 0.8, step: 0.1, end: 3}"),
            "`time.courant`: given together with `step` (deck:1:17); give one of them");
  EXPECT_EQ(mistakes_of("{courant: 1.5, end: 3}"),
            "`time.courant`: 1.5 is out of range: must be above 0 and at most 1 (deck:1:17)");
}

TEST(TimeSection, AsksForAStepAloneIfNoPartOfAStableOneCanReplaceIt) {
  Section root("", "A deck.");
  root.section(time_section());
  root.check(
      [](Options const& deck, Mistakes& mistakes) { validate_time(deck.section("time"), mistakes, false, false); });
  try {
    static_cast<void>(Deck("deck", "time: {steps: 3}").read(root));
    ADD_FAILURE() << "no mistake";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "`time.step`: missing (deck:1:1); it is the length of each step");
  }
}

TEST(TimeSection, RefusesMoreStepsThanCanBeCounted) {
  EXPECT_EQ(mistakes_of("{step: 1e-300, end: 1}"),
            "`time.step`: 1e-300 is too short: it takes 2^53 steps or more from 0 to 1 (deck:1:14)");
  EXPECT_EQ(mistakes_of("{step: 1, start: -1e308, end: 1e308}"),
            "`time.step`: 1 is too short: it takes 2^53 steps or more from -1e+308 to 1e+308 (deck:1:14)");
  EXPECT_EQ(mistakes_of("{step: 1, end: 9007199254740991}"), "");
}

}  // namespace
}  // namespace halocline
