#include "framework/runtime/teuchos_communicator.hpp"

#include <gtest/gtest.h>

#include <Teuchos_CommHelpers.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;

/// Concatenates bytes: order matters.
struct Appended final : Teuchos::ValueTypeReductionOp<int, char> {
  void reduce(int count, char const* in, char* inout) const override {
    for (int n = 0; n < count; ++n) inout[n] = static_cast<char>(2 * inout[n] + in[n]);
  }
};

class OnTeuchos : public testing::Test {
 protected:
  TeuchosCommunicator const comm{communicator()};
  int const rank = communicator().rank();
  int const ranks = communicator().size();
};

TEST_F(OnTeuchos, RanksAreThoseOfTheCommunicator) {
  EXPECT_EQ(comm.getRank(), rank);
  EXPECT_EQ(comm.getSize(), ranks);
  EXPECT_GT(comm.getTag(), Communicator::last_tag);
  comm.barrier();
}

TEST_F(OnTeuchos, EveryRankBroadcasts) {
  for (int root = 0; root < ranks; ++root) {
    std::vector<double> values(5, rank == root ? 1.5 + root : 0.0);
    Teuchos::broadcast<int, double>(comm, root, 5, values.data());
    EXPECT_EQ(values, std::vector<double>(5, 1.5 + root));
  }
}

TEST_F(OnTeuchos, EveryRankGathers) {
  std::vector<int> expected(static_cast<std::size_t>(ranks));
  for (int n = 0; n < ranks; ++n) expected[static_cast<std::size_t>(n)] = n * n;
  int const mine = rank * rank;
  int const size = sizeof(int);
  auto const bytes = [](auto* value) { return reinterpret_cast<char*>(value); };
  std::vector<int> all(expected.size(), -1);
  comm.gatherAll(size, reinterpret_cast<char const*>(&mine), size * ranks, bytes(all.data()));
  EXPECT_EQ(all, expected);
  for (int root = 0; root < ranks; ++root) {
    std::vector<int> gathered(expected.size(), -1);
    comm.gather(size, reinterpret_cast<char const*>(&mine), size * ranks, bytes(gathered.data()), root);
    EXPECT_EQ(gathered, rank == root ? expected : std::vector<int>(expected.size(), -1));
  }
  EXPECT_THROW(comm.gatherAll(size, bytes(all.data()), size * ranks + 1, bytes(all.data())), DefectError);
}

TEST_F(OnTeuchos, ReductionsGoInTheOrderOfRanks) {
  std::vector<char> mine{static_cast<char>(rank), static_cast<char>(1)};
  std::vector<char> result(2);
  comm.reduceAll(Appended(), 2, mine.data(), result.data());
  int first = 0;
  for (int n = 1; n < ranks; ++n) first = 2 * first + n;
  EXPECT_EQ(result, (std::vector<char>{static_cast<char>(first), static_cast<char>((1 << ranks) - 1)}));
  comm.reduceAll(Appended(), 0, nullptr, nullptr);
}

/// Teuchos calls the communicator even if it has no MPI of its own.
TEST_F(OnTeuchos, NumbersAreReducedByNamedOperations) {
  double const mine[] = {1.0 + rank, -1.0 - rank};
  double result[] = {0, 0};
  Teuchos::reduceAll<int, double>(comm, Teuchos::REDUCE_SUM, 2, mine, result);
  EXPECT_EQ(result[0], 0.5 * ranks * (ranks + 1));
  EXPECT_EQ(result[1], -0.5 * ranks * (ranks + 1));
  Teuchos::reduceAll<int, double>(comm, Teuchos::REDUCE_MAX, 2, mine, result);
  EXPECT_EQ(result[0], ranks);
  EXPECT_EQ(result[1], -1);
  int const number = rank;
  int least = -1;
  Teuchos::reduceAll<int, int>(comm, Teuchos::REDUCE_MIN, 1, &number, &least);
  EXPECT_EQ(least, 0);
}

TEST_F(OnTeuchos, MessagesGoFromRankToRank) {
  if (rank > 0) {
    std::size_t length = 0;
    EXPECT_EQ(Teuchos::receive<int>(comm, rank - 1, &length), rank - 1);
    EXPECT_EQ(length, 7U);
    std::string text(length, ' ');
    Teuchos::receive<int>(comm, rank - 1, 7, text.data());
    EXPECT_EQ(text, "message") << "in the order in which they were sent";
  }
  if (rank + 1 < ranks) {
    Teuchos::send<int>(comm, std::size_t{7}, rank + 1);
    Teuchos::send<int>(comm, 7, "message", rank + 1);
  }
}

TEST_F(OnTeuchos, OtherCallsAreRefusedByName) {
  char byte = 0;
  Teuchos::ArrayView<char> const view(&byte, 1);
  Teuchos::ArrayView<char const> const constant(&byte, 1);
  std::vector<std::pair<std::string, std::function<void()>>> const calls{
      {"scan", [&] { comm.scan(Appended(), 1, &byte, &byte); }},
      {"ssend", [&] { comm.ssend(1, &byte, 0); }},
      {"ssend", [&] { comm.ssend(1, &byte, 0, 1); }},
      {"readySend", [&] { comm.readySend(constant, 0); }},
      {"readySend", [&] { comm.readySend(1, &byte, 0, 1); }},
      {"isend", [&] { comm.isend(constant, 0); }},
      {"isend", [&] { comm.isend(constant, 0, 1); }},
      {"ireceive", [&] { comm.ireceive(view, 0); }},
      {"ireceive", [&] { comm.ireceive(view, 0, 1); }},
      {"waitAll", [&] { comm.waitAll({}); }},
      {"waitAll", [&] { comm.waitAll({}, {}); }},
      {"wait", [&] { comm.wait(Teuchos::null); }},
      {"duplicate", [&] { static_cast<void>(comm.duplicate()); }},
      {"split", [&] { static_cast<void>(comm.split(0, 0)); }},
      {"createSubcommunicator", [&] { static_cast<void>(comm.createSubcommunicator({})); }},
      {"receive (from any rank)", [&] { comm.receive(-1, 1, &byte); }},
  };
  for (auto const& [name, call] : calls) {
    try {
      call();
      ADD_FAILURE() << name;
    } catch (DefectError const& error) {
      EXPECT_NE(std::string(error.what()).find("`" + name + "`"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace halocline
