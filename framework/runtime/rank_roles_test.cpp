#include "framework/runtime/rank_roles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

TEST(RankRoles, TheLastRanksServeAnEvenShareOfTheOthers) {
  auto const ranks = std::make_shared<Communicator>(test::communicator().data());
  for (int io_ranks = 0; io_ranks <= ranks->size() / 2; ++io_ranks) {
    RankRoles const roles(ranks, io_ranks);
    int const computing = ranks->size() - io_ranks;
    EXPECT_EQ(roles.compute_ranks(), computing);
    EXPECT_EQ(roles.is_io_rank(), ranks->rank() >= computing);
    EXPECT_EQ(roles.computing() != nullptr, !roles.is_io_rank());
    EXPECT_EQ(roles.serving() != nullptr, roles.is_io_rank());
    Communicator const& part = roles.is_io_rank() ? *roles.serving() : *roles.computing();
    EXPECT_EQ(part.size(), roles.is_io_rank() ? io_ranks : computing);
    EXPECT_EQ(part.rank(), ranks->rank() - (roles.is_io_rank() ? computing : 0));
    if (io_ranks == 0) {
      EXPECT_EQ(roles.computing(), ranks) << "nothing is split";
      continue;
    }
    std::vector<int> served;
    for (int server = 0; server < io_ranks; ++server) {
      std::vector<int> const clients = roles.clients_of(server);
      EXPECT_GE(static_cast<int>(clients.size()), computing / io_ranks);
      for (int const client : clients) EXPECT_EQ(roles.server_of(client), server);
      served.insert(served.end(), clients.begin(), clients.end());
    }
    EXPECT_EQ(static_cast<int>(served.size()), computing);
    EXPECT_TRUE(std::is_sorted(served.begin(), served.end()));
  }
  for (int const wrong : {-1, ranks->size() / 2 + 1}) EXPECT_THROW(RankRoles(ranks, wrong), DefectError);
}

}  // namespace
}  // namespace halocline
