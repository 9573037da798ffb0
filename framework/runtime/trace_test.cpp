#include "framework/runtime/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "framework/runtime/device.hpp"
#include "framework/runtime/region.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;

Index count(std::string const& text, std::string const& part) {
  Index found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Trace, IsOfAllRanks) {
  { ScopedRegion const before("before the start"); }
  trace::start();
  EXPECT_TRUE(trace::is_on());
  {
    ScopedRegion const outer("outer");
    ScopedRegion const inner("inner");
  }
  auto const now = trace::Clock::now();
  trace::add_message("a message", now, now + std::chrono::milliseconds(3));
  std::string const text = trace::merged(communicator());
  EXPECT_FALSE(trace::is_on());
  if (communicator().rank() > 0) {
    EXPECT_EQ(text, "");
    return;
  }
  EXPECT_EQ(count(text, "before the start"), 0);
  EXPECT_EQ(count(text, R"("ph":"X","name":"outer")"), communicator().size());
  EXPECT_EQ(count(text, R"("ph":"X","name":"inner")"), communicator().size());
  EXPECT_EQ(count(text, R"("ph":"b","cat":"messages","name":"a message")"), communicator().size());
  EXPECT_EQ(count(text, R"("ph":"e","cat":"messages","name":"a message")"), communicator().size());
  EXPECT_EQ(count(text, R"("name":"rank )"), communicator().size());
  EXPECT_EQ(text.find(",\n]"), std::string::npos) << text;
}

/// A device has its own lines in the trace, with the times at which its work ran.
TEST(Trace, TellsWhatADeviceDoes) {
  trace::start();
  {
    ScopedRegion const region("work");
    trace::enter_on_device("inner");
    trace::leave_on_device();
  }
  std::string const text = trace::merged(communicator());
  if (communicator().rank() > 0) return;
  Index const expected = device_count() > 0 ? communicator().size() : 0;
  EXPECT_EQ(count(text, R"("cat":"device","name":"work")"), expected);
  EXPECT_EQ(count(text, R"("cat":"device","name":"inner")"), expected);
  EXPECT_EQ(count(text, R"("name":"device: sweeps")"), expected);
  EXPECT_EQ(count(text, R"("ph":"X","name":"work")"), communicator().size());
}

/// Ranks on (pretended) different hosts align their clocks by messages; on one host the error is below their latency.
TEST(Trace, ClocksOfOtherHostsAreCompared) {
  std::vector<int> hosts(static_cast<std::size_t>(communicator().size()));
  std::iota(hosts.begin(), hosts.end(), 0);
  Communicator const apart(communicator().data(), hosts);
  trace::start();
  apart.barrier();
  auto const now = trace::Clock::now();
  trace::add("after the barrier", now, now);
  std::string const text = trace::merged(apart);
  if (apart.rank() > 0) return;
  std::vector<double> times;
  std::string const mark = R"("name":"after the barrier","pid":)";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    times.push_back(std::stod(text.substr(text.find("\"ts\":", at) + 5)));
  }
  ASSERT_EQ(times.size(), hosts.size());
  auto const [least, most] = std::minmax_element(times.begin(), times.end());
  // Microseconds. Without alignment the difference would be zero here; a wrong alignment would be of the order of the
  // machine's uptime.
  EXPECT_LT(*most - *least, 1e6);
}

TEST(Trace, SpansBeyondTheMostAreCounted) {
  trace::start(2);
  auto const now = trace::Clock::now();
  for (int n = 0; n < 5; ++n) trace::add("x", now, now);
  std::string const text = trace::merged(communicator());
  if (communicator().rank() > 0) return;
  EXPECT_NE(text.find("\"spans beyond those that are kept\":" + std::to_string(3 * communicator().size())),
            std::string::npos);
}

}  // namespace
}  // namespace halocline
