#include "framework/runtime/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/runtime/environment.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Placement, OfEveryRankIsKnownToRank0) {
  std::vector<Placement> const all = find_placements(communicator());
  if (communicator().rank() > 0) {
    EXPECT_THAT(all, IsEmpty());
    return;
  }
  ASSERT_EQ(all.size(), static_cast<std::size_t>(communicator().size()));
  for (Placement const& placement : all) {
    EXPECT_EQ(placement.host, 0);
    EXPECT_FALSE(placement.cores.empty());
    EXPECT_GE(placement.threads, 1);
    EXPECT_THAT(describe(placement), HasSubstr(placement.threads == 1 ? ", 1 thread" : " threads"));
  }
  EXPECT_EQ(all.front().threads, host_threads());
}

TEST(Placement, IsDescribedByRangesOfCores) {
  EXPECT_EQ(describe({.host = 2, .cores = {4000, 4001, 4002, 4008}, .threads = 3}),
            "host 2, cores 4000-4002,4008, 3 threads");
  EXPECT_EQ(describe({.cores = {4007}, .devices = {"0000:FF:1f.7"}}),
            "host 0, core 4007, 1 thread, device 0000:FF:1f.7");
  EXPECT_EQ(describe({.cores = {4007}, .devices = {"0000:FE:1f.7", "0000:FF:1f.7"}}),
            "host 0, core 4007, 1 thread, devices 0000:FE:1f.7, 0000:FF:1f.7");
}

TEST(SharedHardware, IsNothingWhereEachRankHasItsOwn) {
  EXPECT_THAT(shared_hardware({{0, {0, 1}, 2, {"a", "a"}}, {0, {2, 3}, 2, {"b"}}, {1, {0, 1}, 2, {"a"}}}), IsEmpty());
  // No warning: unbound ranks with enough cores, and one rank with more threads than cores, which is its user's choice.
  EXPECT_THAT(shared_hardware({{0, {0, 1, 2, 3}, 2}, {0, {0, 1, 2, 3}, 2}}), IsEmpty());
  EXPECT_THAT(shared_hardware({{0, {0}, 4}}), IsEmpty());
  EXPECT_THAT(shared_hardware({{0, {0}, 1, {"a"}, false}, {0, {1}, 1, {"a"}, false}}), IsEmpty());
}

TEST(SharedHardware, IsNamedWithAWayOut) {
  std::vector<std::string> const devices =
      shared_hardware({{0, {0}, 1, {"a"}}, {0, {1}, 1, {"b"}}, {0, {2}, 1, {"c", "a"}}});
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_THAT(devices[0], HasSubstr("ranks 0, 2 share device a of host 0"));
  EXPECT_THAT(devices[0], HasSubstr("one rank for each device"));
  std::vector<std::string> const cores = shared_hardware({{0, {0}, 1}, {1, {5}, 1}, {1, {5}, 2}});
  ASSERT_EQ(cores.size(), 1U);
  EXPECT_THAT(cores[0], HasSubstr("2 ranks with 3 threads in total share 1 core of host 1"));
  EXPECT_THAT(cores[0], HasSubstr("OMP_NUM_THREADS"));
}

}  // namespace
}  // namespace halocline
