#include "framework/runtime/region_times.hpp"

#include <gtest/gtest.h>

#include <Teuchos_Time.hpp>
#include <string>
#include <vector>

#include "framework/runtime/guard.hpp"
#include "framework/runtime/region.hpp"
#include "tests/support/communicator.hpp"

namespace {

double now = 0;

}  // namespace

/// Replaces Teuchos' own function in this program: tests set the time.
double Teuchos::Time::wallTime() { return now; }

namespace halocline {
namespace {

using test::communicator;

/// A call of the region that takes `seconds`.
void spend(char const* region, double seconds) {
  ScopedRegion const scope(region);
  now += seconds;
}

RegionTime found(std::vector<RegionTime> const& times, std::string const& name) {
  for (RegionTime const& time : times) {
    if (time.name == name) return time;
  }
  ADD_FAILURE() << "no region is called " << name;
  return {};
}

class Regions : public testing::Test {
 protected:
  Regions() { reset_region_times(); }

  int const rank = communicator().rank();
  int const ranks = communicator().size();
};

TEST_F(Regions, AreCountedAndTimed) {
  {
    ScopedRegion const outer("outer");
    for (int n = 0; n < 3; ++n) spend("inner", 2);
    now += 0.5;
  }
  auto const times = region_times();
  ASSERT_EQ(times.size(), 2U) << "longest first";
  EXPECT_EQ(times[0].name, "outer");
  EXPECT_EQ(times[0].calls, 1);
  EXPECT_EQ(times[0].seconds.mean, 6.5) << "with what is inside";
  EXPECT_EQ(times[1].name, "inner");
  EXPECT_EQ(times[1].calls, 3);
  EXPECT_EQ(times[1].seconds.least, 6);
  EXPECT_EQ(times[1].seconds.mean, 6);
  EXPECT_EQ(times[1].seconds.most, 6);
}

TEST_F(Regions, WithinThemselvesAreTimedOnce) {
  {
    ScopedRegion const outer("again");
    spend("again", 2);
    now += 1;
  }
  spend("again", 4);
  EXPECT_EQ(found(region_times(), "again").calls, 3);
  EXPECT_EQ(found(region_times(), "again").seconds.mean, 7);
}

TEST_F(Regions, OfOneTextAreOne) {
  static char const one[] = "text";
  static char const other[] = "text";
  spend(one, 1);
  spend(other, 2);
  ASSERT_EQ(region_times().size(), 1U);
  EXPECT_EQ(region_times()[0].seconds.mean, 3);
  EXPECT_EQ(region_times()[0].calls, 2);
}

TEST_F(Regions, CountWhenTheyEnd) {
  ScopedRegion const open("open");
  now += 1;
  EXPECT_EQ(region_times().size(), 0U);
}

/// 24 divides evenly among 1 to 4 ranks: means are exact.
TEST_F(Regions, AreComparedOverRanks) {
  for (int call = 0; call < 2; ++call) spend("all", 12.0 * (rank + 1));
  for (int call = 0; call <= rank; ++call) spend("more often", 1);
  auto const times = region_times(communicator());
  ASSERT_EQ(times.size(), 2U);
  RegionTime const all = found(times, "all");
  EXPECT_EQ(all.calls, 2);
  EXPECT_EQ(all.seconds.least, 24);
  EXPECT_EQ(all.seconds.mean, 12 * (ranks + 1));
  EXPECT_EQ(all.seconds.most, 24 * ranks);
  EXPECT_DOUBLE_EQ(found(times, "more often").calls, 0.5 * (ranks + 1));
  EXPECT_EQ(seconds_of(times, "all").most, all.seconds.most);
  EXPECT_EQ(seconds_of(times, "none").most, 0);
}

TEST_F(Regions, OfOneRankAreThereOnAll) {
  if (rank == ranks - 1) spend("last", 24);
  if (rank == 0) spend("first", 48);
  auto const times = region_times(communicator());
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].name, "first") << "longest first";
  for (auto const& [name, seconds] : {std::pair{"last", 24}, std::pair{"first", 48}}) {
    RegionTime const one = found(times, name);
    EXPECT_DOUBLE_EQ(one.calls, 1.0 / ranks);
    EXPECT_EQ(one.seconds.least, ranks > 1 ? 0 : seconds);
    EXPECT_EQ(one.seconds.mean, seconds / ranks);
    EXPECT_EQ(one.seconds.most, seconds);
  }
}

TEST_F(Regions, ThereMayBeNone) { EXPECT_EQ(region_times(communicator()).size(), 0U); }

/// The times of a single rank, as a failed run reports them, need no communication.
TEST_F(Regions, OfARankAloneNeedNoOther) {
  spend("mine", 1 + rank);
  if (rank > 0) return;
  EXPECT_EQ(found(region_times(), "mine").seconds.most, 1);
}

TEST_F(Regions, AreNotWaitedForOfARankThatFailed) {
  Communicator const family(communicator().data());
  Verdict const verdict = run_guarded(family, [&] {
    spend("all", 1);
    if (rank == ranks - 1) throw SolveError("no answer");
    static_cast<void>(region_times(family));
    return ExitCode::done;
  });
  EXPECT_EQ(verdict.code, ExitCode::unsolved);
  EXPECT_EQ(verdict.message, "no answer");
}

}  // namespace
}  // namespace halocline
