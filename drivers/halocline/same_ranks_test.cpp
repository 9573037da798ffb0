#include "drivers/halocline/same_ranks.hpp"

#include <gtest/gtest.h>

#include <string>

#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;

TEST(SameRanks, AreTold) {
  EXPECT_EQ(first_that_differs(communicator(), "the same"), 0);
  EXPECT_NO_THROW(require_same_command(communicator(), "halocline run a.yaml"));
  EXPECT_NO_THROW(require_same_deck(communicator(), "{}"));
}

TEST(SameRanks, OthersAreNamed) {
  auto const& ranks = communicator();
  if (ranks.size() == 1) return;
  bool const last = ranks.rank() == ranks.size() - 1;
  int const other = first_that_differs(ranks, last ? "another" : "the same");
  EXPECT_EQ(other, ranks.size() - 1);
  std::string const number = std::to_string(other);
  auto const said = [](auto const& function) -> std::string {
    try {
      function();
    } catch (Error const& error) {
      return error.exit_code() == ExitCode::wrong_input ? error.what() : "";
    }
    return "";
  };
  EXPECT_EQ(said([&] { require_same_command(ranks, last ? "halocline run b.yaml" : "halocline run a.yaml"); }),
            "the ranks have different commands, rank 0 `halocline run a.yaml`, rank " + number +
                " `halocline run b.yaml`; start all ranks of a run with the same one");
  EXPECT_EQ(said([&] { require_same_command(ranks, "halocline run a.yaml", last ? "0.2" : "0.1"); }),
            "the ranks run different builds of halocline, rank 0 of 0.1, rank " + number +
                " of 0.2; start all ranks of a run with the same one");
  EXPECT_EQ(said([&] { require_same_deck(ranks, last ? "{}" : "{ }"); }),
            "rank " + number +
                " reads the deck differently from rank 0: its host has other plugins, or another build of halocline");
}

}  // namespace
}  // namespace halocline
