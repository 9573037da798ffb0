#include "framework/runtime/first_contact.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>

#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

TEST(FirstContact, IsThereAtOnce) { EXPECT_EQ(obstacle_to_first_contact(MPI_COMM_WORLD, 60), ""); }

TEST(FirstContact, OfARankThatDoesNotComeIsGivenUp) {
  bool const alone = test::communicator().size() == 1;
  bool const is_late = !alone && test::communicator().rank() == 0;
  MPI_Comm apart = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  if (is_late) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::string const obstacle = obstacle_to_first_contact(apart, is_late ? 60 : 0.1);
  EXPECT_EQ(obstacle.empty(), alone || is_late) << obstacle;
  constexpr char const* said = "0.1 s after the start of MPI, its ranks have not all contacted each other";
  EXPECT_TRUE(obstacle.empty() || obstacle.starts_with(said)) << obstacle;
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(FirstContact, LimitIsOfTheEnvironment) {
  auto const with = [](char const* value) {
    return [value](char const* name) { return std::strcmp(name, "HALOCLINE_START_SECONDS") == 0 ? value : nullptr; };
  };
  EXPECT_EQ(first_contact_limit(with(nullptr)), 60);
  EXPECT_EQ(first_contact_limit(with("7.5")), 7.5);
  EXPECT_EQ(first_contact_limit(with("inf")), std::numeric_limits<double>::infinity());
  for (char const* const wrong : {"", "0", "-3", "soon", "5s", "nan"}) {
    EXPECT_THROW(static_cast<void>(first_contact_limit(with(wrong))), InputError) << wrong;
  }
}

}  // namespace
}  // namespace halocline
