#include "framework/runtime/waiting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/guard.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Pause = Waiting::Pause;
using Clock = std::chrono::steady_clock;

TEST(Waiting, WithACoreOfItsOwnARankTestsAtOnceAndThenYields) {
  Waiting waiting(false);
  for (int n = 0; n < 512; ++n) ASSERT_EQ(waiting.next(), Pause::none) << n;
  for (int n = 0; n < 100000; ++n) {
    ASSERT_EQ(waiting.next(), Pause::yield) << n;
    waiting.note_yield(microseconds(3));
  }
  EXPECT_EQ(waiting.tests(), 100512);
}

TEST(Waiting, ACrowdedRankYieldsAndThenSleeps) {
  Waiting waiting(true);
  for (int n = 0; n < 64; ++n) ASSERT_EQ(waiting.next(), Pause::yield) << n;
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(waiting.next(), Pause::sleep) << n;
}

TEST(Waiting, AfterALongYieldEveryRankSleeps) {
  for (bool const crowded : {false, true}) {
    Waiting waiting(crowded);
    while (waiting.next() == Pause::none) {
    }
    waiting.note_yield(milliseconds(3));
    EXPECT_EQ(waiting.next(), Pause::sleep);
    waiting.note_yield(microseconds(1));
    EXPECT_EQ(waiting.next(), Pause::sleep) << "until the wait ends";
  }
}

/// Kernels that have no such request name no turn at all.
TEST(Turns, OfRanksAreShortAndThoseOfTheirThreads) {
  std::thread([] {
    bool const known = turn_of_this_thread().has_value();
    request_short_turns();
    std::optional<std::chrono::nanoseconds> mine = turn_of_this_thread();
    EXPECT_EQ(mine, known ? std::optional<std::chrono::nanoseconds>(short_turn) : std::nullopt);
    std::thread([&] { EXPECT_EQ(turn_of_this_thread(), mine); }).join();
  }).join();
}

TEST(Turns, AreShortWhereALauncherStartedTheRanks) {
  if (test::communicator().size() == 1) return;
  EXPECT_EQ(turn_of_this_thread().value_or(short_turn), short_turn);
}

/// A sleep of at most a quarter of those before it, apart from the first few, delays the end of a wait by at most that.
TEST(Waiting, SleepsGrowUpToALimit) {
  Waiting waiting(true);
  Waiting::Duration slept = waiting.next_sleep();
  EXPECT_LE(slept, microseconds(10));
  for (int n = 0; n < 100; ++n) {
    Waiting::Duration const sleep = waiting.next_sleep();
    EXPECT_LE(sleep, slept / 4 + microseconds(10)) << n;
    EXPECT_LE(sleep, Waiting::longest_sleep);
    slept += sleep;
  }
  EXPECT_EQ(waiting.next_sleep(), Waiting::longest_sleep);
}

Cores cores(std::vector<std::size_t> const& numbers) {
  Cores set;
  CPU_ZERO(&set);
  for (std::size_t const number : numbers) CPU_SET(number, &set);
  return set;
}

TEST(Crowding, CountsTheRanksThatMayUseTheSameCores) {
  Cores const both = cores({4, 9});
  EXPECT_FALSE(is_crowded(std::array{both}, 0));
  EXPECT_FALSE(is_crowded(std::array{both, both}, 1));
  EXPECT_TRUE(is_crowded(std::array{both, both, both}, 1));
  std::array const bound{cores({0}), cores({1}), cores({2}), cores({2})};
  EXPECT_FALSE(is_crowded(bound, 0)) << "others do not use its core";
  EXPECT_TRUE(is_crowded(bound, 2));
  std::array const in_pairs{cores({0, 1}), cores({2, 3}), cores({0, 1}), cores({2, 3})};
  for (std::size_t rank = 0; rank < in_pairs.size(); ++rank) EXPECT_FALSE(is_crowded(in_pairs, rank)) << rank;
  std::array const unknown{cores({}), cores({})};
  EXPECT_FALSE(is_crowded(unknown, 0));
}

/// All ranks share one core, which makes any two of them crowded.
class OneCore : public testing::Test {
 protected:
  OneCore() {
    std::size_t first = 0;
    while (CPU_ISSET(first, &before_) == 0) ++first;
    Cores const one = cores({first});
    sched_setaffinity(0, sizeof(one), &one);
    ranks_ = std::make_unique<Communicator>(test::communicator().data());
  }
  ~OneCore() override { sched_setaffinity(0, sizeof(before_), &before_); }

  /// The last rank enters `wait` half a second after the others, which sleep at most 1 ms at a time: each of these few
  /// hundred tests takes some microseconds of the processor.
  void expect_sleep_in(std::function<void(Communicator const&)> const& wait) {
    if (ranks_->size() == 1) GTEST_SKIP() << "needs another rank";
    ranks_->barrier();
    bool const late = ranks_->rank() == ranks_->size() - 1;
    if (late) std::this_thread::sleep_for(milliseconds(500));
    double const before = processor_seconds();
    wait(*ranks_);
    if (late) return;
    EXPECT_LT(processor_seconds() - before, 0.05);
  }

  std::unique_ptr<Communicator> ranks_;

 private:
  static double processor_seconds() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  Cores const before_ = cores_of_this_thread();
};

TEST_F(OneCore, CollectivesSleep) {
  expect_sleep_in([](Communicator const& ranks) { ranks.barrier(); });
}

TEST_F(OneCore, MessagesSleep) {
  expect_sleep_in([](Communicator const& ranks) {
    int const last = ranks.size() - 1;
    if (ranks.rank() < last) {
      char byte = 0;
      MPI_Request received = ranks.receive(&byte, 1, last, 7);
      return ranks.wait(received);
    }
    for (int to = 0; to < last; ++to) ranks.send_text("x", to, 7);
  });
}

TEST_F(OneCore, NewFamiliesSleep) {
  expect_sleep_in([](Communicator const& ranks) { static_cast<void>(Communicator(ranks.data())); });
}

TEST_F(OneCore, TheEndOfAGuardedFunctionSleeps) {
  expect_sleep_in([](Communicator const& ranks) {
    EXPECT_EQ(run_guarded(ranks, [] { return ExitCode::done; }).code, ExitCode::done);
  });
}

TEST_F(OneCore, ATestAMillisecondIsEnough) {
  if (ranks_->size() == 1) GTEST_SKIP() << "needs another rank";
  int tests = 0;
  auto const end = Clock::now() + milliseconds(200);
  ranks_->wait_until([&] { return ++tests, Clock::now() > end; });
  // 64 yields, 21 sleeps below a millisecond, then one test each millisecond.
  EXPECT_LE(tests, 64 + 21 + 200);
}

}  // namespace
}  // namespace halocline
