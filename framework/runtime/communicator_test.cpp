#include "framework/runtime/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "framework/runtime/guard.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/nan_aware.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;

TEST(Communicator, LeavesTheCallersCommunicatorAlone) {
  int result = 0;
  MPI_Comm_compare(communicator().data(), MPI_COMM_WORLD, &result);
  EXPECT_EQ(result, MPI_CONGRUENT);  // same ranks, another context
}

TEST(NanAware, LargerAndSmallerKeepNotANumber) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (double const number : {-std::numeric_limits<double>::infinity(), -1.0, 0.0, 1.0}) {
    EXPECT_TRUE(std::isnan(larger(nan, number)) && std::isnan(larger(number, nan)));
    EXPECT_TRUE(std::isnan(smaller(nan, number)) && std::isnan(smaller(number, nan)));
  }
  EXPECT_EQ(larger(1, 2), 2);
  EXPECT_EQ(larger(2, 1), 2);
  EXPECT_EQ(smaller(1, 2), 1);
  EXPECT_EQ(smaller(2, 1), 1);
}

TEST(Communicator, OfOneProcessNeedsNoMpi) {
  Communicator const alone = Communicator::alone();
  EXPECT_EQ(alone.data(), MPI_COMM_NULL);
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.hosts(), 1);
  EXPECT_EQ(alone.local_size(), 1);
  EXPECT_EQ(alone.sum(2.5), 2.5);
  EXPECT_EQ(alone.exscan(7), 0);
  std::string text = "text";
  alone.broadcast(text, 0);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(alone.gather(text), std::vector{text});
  Index const number = 3;
  EXPECT_EQ(alone.all_gather(std::span(&number, 1)), std::vector{number});
  alone.barrier();
  EXPECT_NO_THROW(alone.agree(nullptr));
  EXPECT_THROW(alone.agree(std::make_exception_ptr(InputError("wrong"))), InputError);
  EXPECT_EQ(run_guarded(alone, [] { return ExitCode::done; }).code, ExitCode::done);
  Verdict const verdict = run_guarded(alone, []() -> ExitCode { throw InputError("wrong"); });
  EXPECT_EQ(verdict.code, ExitCode::wrong_input);
  EXPECT_EQ(verdict.message, "wrong");
  EXPECT_THROW(alone.barrier(), RemoteError);
}

TEST(Communicator, ASendToItsReceiverWaitsForThat) {
  auto const& ranks = communicator();
  int const next = (ranks.rank() + 1) % ranks.size();
  int const previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  Index const mine = ranks.rank();
  MPI_Request sent = ranks.send_to_receiver(&mine, sizeof(mine), next, 3);
  ranks.barrier();
  for (int n = 0; n < 100; ++n) EXPECT_FALSE(ranks.test_all({&sent, 1}));
  ranks.barrier();
  Index theirs = -1;
  MPI_Request received = ranks.receive(&theirs, sizeof(theirs), previous, 3);
  ranks.wait(received);
  ranks.wait(sent);
  EXPECT_EQ(theirs, previous);
}

TEST(Communicator, Reductions) {
  auto const& ranks = communicator();
  Index const n = ranks.size();
  Index const r = ranks.rank();
  EXPECT_EQ(ranks.sum(r + 1), n * (n + 1) / 2);
  EXPECT_EQ(ranks.max(r), n - 1);
  EXPECT_EQ(ranks.min(-r), 1 - n);
  EXPECT_EQ(ranks.sum(0.5 * static_cast<double>(r)), 0.25 * static_cast<double>(n * (n - 1)));
  EXPECT_EQ(ranks.max(-1.5 * static_cast<double>(r)), 0.0);
  EXPECT_EQ(ranks.min(1.5 * static_cast<double>(r)), 0.0);
  std::vector<double> many(1001);
  std::iota(many.begin(), many.end(), 0.0);
  ranks.sum(many);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], static_cast<double>(i) * static_cast<double>(n));
  std::array<float, 3> few{1, 2, 3};
  ranks.sum(few);
  EXPECT_EQ(few[2], 3.0F * static_cast<float>(n));
  ranks.sum(std::span<double>{});
}

TEST(Communicator, ANotANumberOnAnyRankIsTheResult) {
  auto const& ranks = communicator();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  for (int bad = 0; bad < ranks.size(); ++bad) {
    // Pairs of entries: one where a single rank has `value`, and one that is the same on all ranks.
    std::vector<double> numbers;
    for (double const value : {nan, -nan}) {
      for (double const others : {-infinity, -1.0, 0.0, 1.0, infinity}) {
        numbers.push_back(ranks.rank() == bad ? value : others);
        numbers.push_back(others);
      }
    }
    std::vector<double> largest = numbers;
    ranks.max(largest);
    std::vector<double> least = numbers;
    ranks.min(least);
    std::vector<double> sum = numbers;
    ranks.sum(sum);
    for (std::size_t n = 0; n < numbers.size(); n += 2) {
      EXPECT_TRUE(std::isnan(largest[n]) && std::isnan(least[n]) && std::isnan(sum[n])) << n << ", rank " << bad;
      EXPECT_EQ(largest[n + 1], numbers[n + 1]);
      EXPECT_EQ(least[n + 1], numbers[n + 1]);
    }
  }
}

TEST(Communicator, LargestAndSmallestKeepTheirBits) {
  auto const& ranks = communicator();
  double const infinity = std::numeric_limits<double>::infinity();
  double const tiny = std::numeric_limits<double>::denorm_min();
  std::vector<double> const ordered{-infinity, -1e300, -1.0, -tiny, -0.0, 0.0, tiny, 0.1, 1e300, infinity};
  std::vector<double> const lower(ordered.begin(), ordered.end() - 1);
  std::vector<double> const upper(ordered.begin() + 1, ordered.end());
  bool const is_last = ranks.rank() == ranks.size() - 1;
  std::vector<double> largest = is_last ? upper : lower;
  std::vector<double> least = largest;
  ranks.max(largest);
  ranks.min(least);
  std::vector<double> const& expected = ranks.size() == 1 ? upper : lower;
  for (std::size_t n = 0; n < upper.size(); ++n) {
    EXPECT_EQ(std::bit_cast<Index>(largest[n]), std::bit_cast<Index>(upper[n])) << upper[n];
    EXPECT_EQ(std::bit_cast<Index>(least[n]), std::bit_cast<Index>(expected[n])) << expected[n];
  }
}

TEST(Communicator, SumsRepeatToTheBitAndAgreeOnAllRanks) {
  auto const& ranks = communicator();
  double const mine = 1.0 / (3.0 + ranks.rank()) * (ranks.rank() % 2 == 0 ? 1e15 : 1.0);
  double const once = ranks.sum(mine);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(ranks.sum(mine), once);
  for (double const elsewhere : ranks.all_gather(std::span(&once, 1))) EXPECT_EQ(elsewhere, once);
}

TEST(Communicator, ASumGoesOnWhileMessagesAndOtherSumsPass) {
  auto const& ranks = communicator();
  std::array<double, 3> mine{};
  for (std::size_t n = 0; n < 3; ++n) mine[n] = (1.0 + static_cast<double>(n)) / (3.0 + ranks.rank());
  std::array<double, 3> expected = mine;
  ranks.sum(expected);
  for (int round = 0; round < 20; ++round) {
    // The other ranks start theirs only after a message that rank 0 sends after its own start: rank 0 cannot have
    // waited there.
    std::vector<MPI_Request> requests;
    std::byte word{};
    if (ranks.rank() > 0) {
      MPI_Request heard = ranks.receive(&word, 1, 0, 6);
      ranks.wait(heard);
    }
    PendingSum first = ranks.start_sum(mine);
    std::array<double, 2> const other{-mine[1], mine[0]};
    PendingSum second = ranks.start_sum(other);
    for (int to = 1; ranks.rank() == 0 && to < ranks.size(); ++to) requests.push_back(ranks.send(&word, 1, to, 6));
    ranks.wait_all(requests);
    EXPECT_EQ(ranks.sum(Index{1}), ranks.size());
    PendingSum moved = std::move(first);
    for (int asked = 0; asked < 2; ++asked) {
      std::span<double const> const later = second.finish();
      ASSERT_EQ(later.size(), 2U);
      EXPECT_EQ(later[0], -expected[1]);
      EXPECT_EQ(later[1], expected[0]);
      std::span<double const> const sums = moved.finish();
      ASSERT_EQ(sums.size(), 3U);
      for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(sums[n], expected[n]);
    }
  }
  EXPECT_TRUE(ranks.start_sum({}).finish().empty());
}

TEST(Communicator, ASumThatNobodyWaitsForHarmsNothing) {
  auto const& ranks = communicator();
  for (int round = 0; round < 20; ++round) {
    std::array<double, 2> const mine{1, 2};
    { PendingSum const left = ranks.start_sum(mine); }
    PendingSum kept = ranks.start_sum(mine);
    kept = ranks.start_sum(mine);
    EXPECT_EQ(kept.finish()[1], 2.0 * ranks.size());
  }
}

TEST(Communicator, LogicalAgreement) {
  auto const& ranks = communicator();
  bool const last = ranks.rank() == ranks.size() - 1;
  EXPECT_TRUE(ranks.all(true));
  EXPECT_FALSE(ranks.all(!last));
  EXPECT_TRUE(ranks.any(last));
  EXPECT_FALSE(ranks.any(false));
}

TEST(Communicator, ExscanBroadcastAndGathers) {
  auto const& ranks = communicator();
  Index const n = ranks.size();
  Index const r = ranks.rank();
  Index const large = Index{1} << 40;
  EXPECT_EQ(ranks.exscan(large + r), r * large + r * (r - 1) / 2);

  for (int root = 0; root < ranks.size(); ++root) {
    std::string text = ranks.rank() == root ? "from rank " + std::to_string(root) : std::string(99, '?');
    ranks.broadcast(text, root);
    EXPECT_EQ(text, "from rank " + std::to_string(root));
    std::string const mine(static_cast<std::size_t>(r) * 10000, static_cast<char>('a' + r));
    std::vector<std::string> const all = ranks.gather(mine, root);
    ASSERT_EQ(all.size(), ranks.rank() == root ? static_cast<std::size_t>(n) : 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i], std::string(i * 10000, static_cast<char>('a' + static_cast<int>(i))));
    }
  }
  std::array<Index, 2> const mine{r, large * r};
  std::vector<Index> const all = ranks.all_gather(mine);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(2 * n));
  for (Index i = 0; i < n; ++i) EXPECT_EQ(all[static_cast<std::size_t>(2 * i + 1)], large * i);
}

TEST(Communicator, MessagesAndWaits) {
  auto const& ranks = communicator();
  int const next = (ranks.rank() + 1) % ranks.size();
  int const previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  std::vector<double> out(12345, ranks.rank());
  std::vector<double> in(out.size(), -1);
  auto const bytes = static_cast<Index>(out.size() * sizeof(double));
  std::array<MPI_Request, 2> requests{ranks.receive_init(in.data(), bytes, previous, 3),
                                      ranks.send_init(out.data(), bytes, next, 3)};
  for (int round = 0; round < 3; ++round) {
    std::fill(out.begin(), out.end(), ranks.rank() + 10 * round);
    MPI_Startall(2, requests.data());
    ranks.wait_all(requests);
    for (double const value : in) ASSERT_EQ(value, previous + 10 * round);
  }
  Communicator::abandon(requests, nullptr);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);

  std::array<MPI_Request, 2> at_once{ranks.receive(in.data(), bytes, previous, 4),
                                     ranks.send(out.data(), bytes, next, 4)};
  ranks.wait_all(at_once);
  for (double const value : in) ASSERT_EQ(value, previous + 20);
}

TEST(Communicator, MpiErrorsAreThrown) {
  EXPECT_THROW(
      {
        try {
          static_cast<void>(communicator().send(nullptr, 0, communicator().size(), 0));
        } catch (StoppedError const& error) {
          EXPECT_TRUE(std::string(error.what()) == "MPI_Isend: MPI_ERR_RANK: invalid rank" ||  // Open MPI's message
                      std::string(error.what()) == "MPI_Isend: Invalid rank")                  // MPICH's
              << error.what();
          throw;
        }
      },
      StoppedError);
}

/// With pieces of 1000 bytes instead of 2^31 - 1, so that the derived type of large messages is used.
TEST(MessageType, CarriesEveryByte) {
  auto const& ranks = communicator();
  int const next = (ranks.rank() + 1) % ranks.size();
  int const previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  for (Index const bytes : {Index{0}, Index{1}, Index{999}, Index{1000}, Index{1001}, Index{2000}, Index{7919}}) {
    MessageType const message(bytes, 1000);
    EXPECT_EQ(message.count(), bytes > 1000 ? 1 : static_cast<int>(bytes));
    auto const byte_of = [](Index i, int rank) { return static_cast<unsigned char>(i * 7 + rank); };
    std::vector<unsigned char> out(static_cast<std::size_t>(bytes));
    for (Index i = 0; i < bytes; ++i) out[static_cast<std::size_t>(i)] = byte_of(i, ranks.rank());
    std::vector<unsigned char> in(static_cast<std::size_t>(bytes) + 1, 0xEE);
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(in.data(), message.count(), message.type(), previous, 5, ranks.data(), &requests[0]);
    MPI_Isend(out.data(), message.count(), message.type(), next, 5, ranks.data(), &requests[1]);
    ranks.wait_all(requests);
    for (Index i = 0; i < bytes; ++i) ASSERT_EQ(in[static_cast<std::size_t>(i)], byte_of(i, previous)) << bytes;
    EXPECT_EQ(in.back(), 0xEE);
  }
}

TEST(MessageType, CountsBeyondTwoToTheThirtyFirst) {
  MessageType const message(Index{5} << 31);
  MPI_Count size = 0;
  MPI_Type_size_x(message.type(), &size);
  EXPECT_EQ(size * message.count(), Index{5} << 31);
}

TEST(Communicator, SplitsIntoParts) {
  auto const& ranks = communicator();
  auto const part = ranks.split(ranks.rank() % 2 == 0 ? 7 : -1, -ranks.rank());
  ASSERT_EQ(part != nullptr, ranks.rank() % 2 == 0);
  if (part) {
    EXPECT_EQ(part->size(), (ranks.size() + 1) / 2);
    EXPECT_EQ(part->rank(), part->size() - 1 - ranks.rank() / 2);
    EXPECT_EQ(part->sum(Index{1}), part->size());
  }
  auto const host = ranks.split(ranks.host());
  EXPECT_EQ(host->size(), ranks.local_size());
  EXPECT_EQ(host->rank(), ranks.local_rank());
}

TEST(Communicator, FindsTheHost) {
  auto const& ranks = communicator();  // tests run on one host
  EXPECT_EQ(ranks.hosts(), 1);
  EXPECT_EQ(ranks.local_size(), ranks.size());
  EXPECT_EQ(ranks.local_rank(), ranks.rank());
}

TEST(Communicator, SimulatedHosts) {
  auto const& all = communicator();
  std::vector<int> names;  // rank 0 on host 90, then alternately 5, 90, 5, …
  for (int rank = 0; rank < all.size(); ++rank) names.push_back(rank % 2 == 0 ? 90 : 5);
  Communicator const ranks(all.data(), names);
  EXPECT_EQ(ranks.hosts(), std::min(2, all.size()));
  EXPECT_EQ(ranks.host(), ranks.rank() % 2);
  EXPECT_EQ(ranks.local_rank(), ranks.rank() / 2);
  EXPECT_EQ(ranks.local_size(), (ranks.size() + 1 - ranks.host()) / 2);
  auto const host = ranks.split(ranks.host());
  EXPECT_EQ(host->hosts(), 1);
  EXPECT_EQ(host->size(), ranks.local_size());

  names.push_back(1);
  try {
    Communicator const wrong(all.data(), names);
    ADD_FAILURE();
  } catch (DefectError const& error) {
    std::string const expected =
        "hosts named for " + std::to_string(all.size() + 1) + " of " + std::to_string(all.size()) + " ranks";
    EXPECT_EQ(error.what(), expected);
  }
}

TEST(Communicator, AgreeThrowsOnAllRanksIfAnyFailed) {
  auto const& ranks = communicator();
  ranks.agree(nullptr);
  int const origin = ranks.size() - 1;
  std::exception_ptr mine;
  if (ranks.rank() == origin) mine = std::make_exception_ptr(InputOutputError("disk full"));
  try {
    ranks.agree(mine);
    ADD_FAILURE();
  } catch (RemoteError const& error) {
    EXPECT_NE(ranks.rank(), origin);
    EXPECT_EQ(error.origin(), origin);
    EXPECT_EQ(error.exit_code(), ExitCode::input_output);
    EXPECT_STREQ(error.what(), "disk full");
  } catch (InputOutputError const&) {
    EXPECT_EQ(ranks.rank(), origin);
  }
  EXPECT_EQ(ranks.sum(Index{1}), ranks.size()) << "the communicator stays usable";
}

TEST(Communicator, AgreeTakesTheLowestRank) {
  auto const& ranks = communicator();
  try {
    ranks.agree(std::make_exception_ptr(SolveError("rank " + std::to_string(ranks.rank()))));
    ADD_FAILURE();
  } catch (Error const& error) {
    EXPECT_STREQ(error.what(), "rank 0");
    EXPECT_EQ(error.exit_code(), ExitCode::unsolved);
  }
}

/// Run by a separate test that expects the run to end and to fail: rank 0 must not wait for ever.
TEST(Support, DISABLED_AnAssertionFailsOnTheLastRankOnly) {
  ASSERT_NE(communicator().rank(), communicator().size() - 1);
  while (true) communicator().barrier();
}

}  // namespace
}  // namespace halocline
