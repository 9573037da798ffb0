#include "drivers/halocline/wall_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using Clock = WallLimit::Clock;
using std::chrono::seconds;

TEST(WallLimit, DurationsAreRead) {
  std::vector<std::pair<std::string, double>> const known{{"90", 90},        {"0.5", 0.5},    {"90s", 90},
                                                          {"30m", 1800},     {"1.5h", 5400},  {"30:00", 1800},
                                                          {"1:30:00", 5400}, {"0:00:10", 10}, {"100:00:00", 360000}};
  for (auto const& [text, wanted] : known) EXPECT_EQ(read_duration(text), wanted) << text;
}

TEST(WallLimit, OtherTextsAreRefused) {
  for (std::string const text :
       {"", "s", "0", "0:00", "-5", "5 s", "5d", "1:2:3:4", "1:", ":1", "1e308h", "inf", "nan", "1e", "--"}) {
    EXPECT_THROW(static_cast<void>(read_duration(text)), InputError) << text;
  }
}

TEST(WallLimit, IsNearWhenWhatIsLeftIsNoLongerThanWhatIsNeeded) {
  Clock::time_point const start = Clock::time_point() + seconds(1000);
  WallLimit const limit(60, start, nullptr);
  EXPECT_FALSE(limit.is_near(10, start + seconds(49)));
  EXPECT_TRUE(limit.is_near(10, start + seconds(50)));
  EXPECT_TRUE(limit.is_near(0, start + seconds(60)));
  EXPECT_EQ(limit.seconds_left(start + seconds(49)), 11);
  EXPECT_EQ(limit.seconds_left(start + seconds(61)), -1);
  EXPECT_EQ(limit.text(), "at the wall limit of 60 s");
}

TEST(WallLimit, ThereIsNoneUnlessOneIsGiven) {
  WallLimit const none(0, Clock::now(), nullptr);
  EXPECT_FALSE(none.is_near(1e12));
  EXPECT_EQ(none.seconds_left(), std::nullopt);
  // Text that is not a time sets no limit.
  for (char const* const text : {"", "soon", "1e300", "-1"})
    EXPECT_FALSE(WallLimit(0, Clock::now(), text).is_near(1e6));
}

TEST(WallLimit, OneOfCenturiesIsNone) {
  for (double const length : {1e10, 1e19, 1e300, std::numeric_limits<double>::infinity()}) {
    WallLimit const limit(length, Clock::now(), nullptr);
    EXPECT_FALSE(limit.is_near(3e9)) << length;
    EXPECT_EQ(limit.seconds_left(), std::nullopt) << length;
  }
}

TEST(WallLimit, TheEndOfTheJobCountsWhereItIsNearer) {
  Clock::time_point const start = Clock::time_point() + seconds(1000);
  WallLimit const job(100, start, "1060");
  EXPECT_EQ(job.text(), "before the end of its job");
  EXPECT_FALSE(job.is_near(10, start + seconds(39)));
  EXPECT_TRUE(job.is_near(10, start + seconds(40)));
  WallLimit const own(100, start, "5000");
  EXPECT_EQ(own.text(), "at the wall limit of 100 s");
  EXPECT_TRUE(own.is_near(10, start + seconds(90)));
}

}  // namespace
}  // namespace halocline
