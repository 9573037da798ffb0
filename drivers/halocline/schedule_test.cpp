#include "drivers/halocline/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/time/time_section.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Schedule schedule_of(std::string const& time, OutputTimes const& outputs = {}) {
  Section root("", "A deck.");
  root.section(time_section());
  return Schedule::evolving(Deck("deck", "time: " + time).read(root).section("time"), outputs);
}

/// All steps if every state has the same limits.
std::vector<Step> steps_of(Schedule& schedule, StepLimits const& limits = {}) {
  std::vector<Step> steps;
  while (!schedule.ended() && steps.size() < 1000) {
    steps.push_back(schedule.next(limits));
    schedule.take(steps.back());
  }
  return steps;
}

std::vector<double> sizes_of(Schedule& schedule, StepLimits const& limits = {}) {
  std::vector<double> sizes;
  for (Step const& step : steps_of(schedule, limits)) sizes.push_back(step.size);
  return sizes;
}

TEST(Schedule, StepsOfOneLengthStandAtMultiplesOfIt) {
  Schedule schedule = schedule_of("{start: 0.5, step: 0.1, steps: 40}");
  EXPECT_EQ(schedule.steps(), 40);
  std::vector<Step> const steps = steps_of(schedule);
  ASSERT_EQ(steps.size(), 40U);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    EXPECT_EQ(steps[n].number, static_cast<Index>(n) + 1);
    EXPECT_EQ(steps[n].time, 0.5 + static_cast<double>(n) * 0.1);
    EXPECT_EQ(steps[n].size, 0.1);
  }
}

// A method that suggests its steps begins with a short one.
TEST(Schedule, WithoutALengthTheFirstStepIsShort) {
  Schedule schedule = schedule_of("{start: 1, end: 3}");
  EXPECT_EQ(schedule.next({.stable = 1e-4, .suggested = infinity}).size, 1e-4);
  EXPECT_EQ(schedule.next({.stable = 0.25, .suggested = infinity}).size, 2e-3);
  EXPECT_EQ(schedule.next({.stable = infinity, .suggested = infinity}).size, 2e-3);
  EXPECT_EQ(schedule.next({.stable = infinity, .suggested = 1}).size, 1);
}

TEST(Schedule, TheLastStepOfOneLengthIsShortenedToTheEnd) {
  Schedule schedule = schedule_of("{step: 0.4, end: 1}");
  EXPECT_EQ(schedule.steps(), 3);
  EXPECT_EQ(sizes_of(schedule), (std::vector<double>{0.4, 0.4, 1 - 2 * 0.4}));
  Schedule meets = schedule_of("{step: 0.1, end: 0.7}");
  EXPECT_EQ(sizes_of(meets).size(), 7U);
  Schedule none = schedule_of("{step: 0.1, end: 0}");
  EXPECT_TRUE(none.ended());
}

TEST(Schedule, StepsOfOneLengthMeetTheTimesOfOutputs) {
  Schedule schedule = schedule_of("{step: 0.25, end: 1.5}", {.snapshots = 0.625});
  EXPECT_FALSE(schedule.steps());
  std::vector<double> due;
  std::vector<double> sizes;
  while (!schedule.ended()) {
    Step const step = schedule.next({});
    schedule.take(step);
    sizes.push_back(step.size);
    EXPECT_FALSE(schedule.scalars_are_due());
    if (schedule.snapshot_is_due()) due.push_back(schedule.time());
  }
  EXPECT_EQ(sizes, (std::vector<double>{0.25, 0.25, 0.125, 0.25, 0.25, 0.125, 0.25}));
  EXPECT_EQ(due, (std::vector<double>{0.625, 1.25}));
}

TEST(Schedule, OutputsThatStepsMeetAnywayChangeNoBit) {
  Schedule without = schedule_of("{step: 0.1, end: 100}");
  Schedule with = schedule_of("{step: 0.1, end: 100}", {.snapshots = 0.7, .scalars = 0.3});
  Index snapshots = 0;
  Index scalars = 0;
  while (!without.ended()) {
    Step const expected = without.next({});
    Step const step = with.next({});
    ASSERT_EQ(step.time, expected.time);
    ASSERT_EQ(step.size, expected.size);
    without.take(expected);
    with.take(step);
    ASSERT_EQ(with.snapshot_is_due(), step.number % 7 == 0) << step.number;
    ASSERT_EQ(with.scalars_are_due(), step.number % 3 == 0) << step.number;
    snapshots += with.snapshot_is_due() ? 1 : 0;
    scalars += with.scalars_are_due() ? 1 : 0;
  }
  EXPECT_TRUE(with.ended());
  EXPECT_EQ(snapshots, 142);
  EXPECT_EQ(scalars, 333);
}

TEST(Schedule, ChosenStepsArePartsOfTheLongestStableOne) {
  Schedule schedule = schedule_of("{courant: 0.5, steps: 3}");
  EXPECT_EQ(schedule.steps(), 3);
  std::vector<double> sizes;
  for (double stable = 1; !schedule.ended(); stable /= 2) {
    Step const step = schedule.next({.stable = stable});
    schedule.take(step);
    sizes.push_back(step.size);
  }
  EXPECT_EQ(sizes, (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_EQ(schedule.time(), 0.875);
}

TEST(Schedule, TheLastTwoChosenStepsShareWhatIsLeft) {
  Schedule schedule = schedule_of("{courant: 1, end: 2.125}");
  EXPECT_EQ(sizes_of(schedule, {.stable = 1}), (std::vector<double>{1, 0.5625, 0.5625}));
  EXPECT_EQ(schedule.time(), 2.125);
  Schedule whole = schedule_of("{courant: 1, end: 2}");
  EXPECT_EQ(sizes_of(whole, {.stable = 1}), (std::vector<double>{1, 1}));
}

TEST(Schedule, ChosenStepsEndExactlyAndMeetOutputsExactly) {
  for (double stable : {0.0371, 0.1, 0.3, 1.0, 7.0}) {
    Schedule schedule = schedule_of("{start: 0.1, courant: 0.9, end: 3.3}", {.scalars = 0.1});
    Index due = 0;
    double least = infinity;
    while (!schedule.ended()) {
      Step const step = schedule.next({.stable = stable});
      EXPECT_EQ(step.time, schedule.time());
      EXPECT_LE(step.size, stable);
      least = std::min(least, step.size);
      schedule.take(step);
      if (!schedule.scalars_are_due()) continue;
      ++due;
      // The 32nd of these times is the end, up to rounding.
      EXPECT_EQ(schedule.time(), due < 32 ? 0.1 + static_cast<double>(due) * 0.1 : 3.3);
    }
    EXPECT_EQ(schedule.time(), 3.3);
    EXPECT_EQ(due, 32);
    EXPECT_GT(least, 0.4 * std::min(0.9 * stable, 0.1));
  }
}

TEST(Schedule, SuggestedStepsFollowAFirstOneOfTheDeck) {
  Schedule schedule = schedule_of("{step: 0.25, end: 2}");
  EXPECT_EQ(sizes_of(schedule, {.suggested = 0.75}), (std::vector<double>{0.25, 0.75, 0.5, 0.5}));
  Schedule without = schedule_of("{end: 2}");
  EXPECT_EQ(sizes_of(without, {.suggested = 1}), (std::vector<double>{1, 1}));
  Schedule stable = schedule_of("{end: 2}");
  EXPECT_EQ(sizes_of(stable, {.stable = 0.5, .suggested = 1}), (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
}

TEST(Schedule, NoStepIsMadeOfLimitsThatAreNone) {
  Schedule const schedule = schedule_of("{courant: 0.5, end: 1}");
  EXPECT_TRUE(std::isnan(schedule.next({.stable = std::nan("")}).size));
  EXPECT_TRUE(std::isnan(schedule.next({.stable = 1, .suggested = std::nan("")}).size));
  EXPECT_FALSE(schedule.next({.stable = 0}).size > 0);
}

/// Steps, times and outputs after a continuation are those of the whole run, to the bit.
TEST(Schedule, GoesOnFromWhereItStood) {
  OutputTimes const outputs{.snapshots = 0.31, .scalars = 0.17};
  std::vector<std::pair<std::string, StepLimits>> const kinds{{"{start: 0.1, step: 0.07, end: 2}", {}},
                                                              {"{start: 0.1, step: 0.07, steps: 40}", {}},
                                                              {"{start: 0.1, courant: 0.7, end: 2}", {.stable = 0.09}},
                                                              {"{start: 0.1, end: 2}", {.suggested = 0.05}}};
  for (auto const& [time, limits] : kinds) {
    Schedule whole = schedule_of(time, outputs);
    while (!whole.ended()) {
      Schedule part = schedule_of(time, outputs);
      part.go_on_from(whole.state());
      Schedule reference = whole;
      while (!reference.ended()) {
        Step const step = part.next(limits);
        Step const wanted = reference.next(limits);
        ASSERT_EQ(step.number, wanted.number);
        ASSERT_EQ(step.time, wanted.time);
        ASSERT_EQ(step.size, wanted.size);
        part.take(step);
        reference.take(wanted);
        ASSERT_EQ(part.time(), reference.time());
        ASSERT_EQ(part.snapshot_is_due(), reference.snapshot_is_due());
        ASSERT_EQ(part.scalars_are_due(), reference.scalars_are_due());
      }
      ASSERT_TRUE(part.ended());
      whole.take(whole.next(limits));
    }
  }
}

TEST(Schedule, GoesOnWithAnotherEndStepsAndOutputs) {
  Schedule first = schedule_of("{step: 0.25, end: 1}", {.snapshots = 0.5});
  while (!first.ended()) first.take(first.next({}));
  Schedule longer = schedule_of("{step: 0.25, end: 2}", {.snapshots = 0.5});
  longer.go_on_from(first.state());
  EXPECT_EQ(sizes_of(longer), (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  Schedule shorter_steps = schedule_of("{step: 0.125, end: 1.5}", {.snapshots = 0.4});
  shorter_steps.go_on_from(first.state());
  std::vector<double> times;
  while (!shorter_steps.ended()) {
    shorter_steps.take(shorter_steps.next({}));
    if (shorter_steps.snapshot_is_due()) times.push_back(shorter_steps.time());
  }
  EXPECT_EQ(times, std::vector<double>{3 * 0.4});
  EXPECT_EQ(shorter_steps.time(), 1.5);
  // The last step was shortened to reach the end: later ones are counted from there.
  Schedule uneven = schedule_of("{step: 0.3, end: 1}");
  while (!uneven.ended()) uneven.take(uneven.next({}));
  Schedule further = schedule_of("{step: 0.3, end: 2}");
  further.go_on_from(uneven.state());
  EXPECT_EQ(further.next({}).time, 1);
  EXPECT_EQ(further.next({}).size, 0.3);
  while (!further.ended()) further.take(further.next({}));
  EXPECT_EQ(further.time(), 2);
  Schedule elsewhere = schedule_of("{start: 0.5, step: 0.25, end: 2}");
  EXPECT_THROW(elsewhere.go_on_from(first.state()), InputError);
}

TEST(Schedule, DoesNotGoOnFromAfterTheEnd) {
  Schedule first = schedule_of("{step: 0.3, end: 1}");
  while (!first.ended()) first.take(first.next({}));
  for (std::string const allowed : {"{step: 0.3, end: 1}", "{courant: 0.5, end: 1}", "{step: 0.3, steps: 4}"}) {
    Schedule schedule = schedule_of(allowed);
    schedule.go_on_from(first.state());
    EXPECT_TRUE(schedule.ended()) << allowed;
  }
  for (std::string const refused : {"{step: 0.3, end: 0.9}", "{courant: 0.5, end: 0.9}", "{end: 0.999999}",
                                    "{step: 0.3, steps: 3}", "{courant: 0.5, steps: 0}"}) {
    Schedule schedule = schedule_of(refused);
    EXPECT_THROW(schedule.go_on_from(first.state()), InputError) << refused;
  }
}

TEST(Schedule, AStationaryRunIsOneStep) {
  Schedule schedule = Schedule::stationary();
  EXPECT_EQ(schedule.steps(), 1);
  EXPECT_EQ(sizes_of(schedule), std::vector<double>{0});
}

}  // namespace
}  // namespace halocline
