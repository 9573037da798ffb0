#include "framework/runtime/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace halocline {
namespace {

TEST(Process, IsAliveUntilItEnds) {
  ProcessIdentity const here = this_process();
  EXPECT_EQ(here.number, getpid());
  EXPECT_GT(here.start, 0U);
  EXPECT_TRUE(is_alive(here));

  pid_t const child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  ProcessIdentity const there = process_of(child);
  EXPECT_TRUE(is_alive(there));
  EXPECT_GE(there.start, here.start);
  kill(child, SIGKILL);
  siginfo_t end{};
  waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT);
  EXPECT_FALSE(is_alive(there)) << "ended, and not waited for";
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(there));
}

TEST(Process, IsNotALaterOneOfItsNumber) {
  ProcessIdentity other = this_process();
  ++other.start;
  EXPECT_FALSE(is_alive(other));
  EXPECT_FALSE(is_alive({getpid(), 0}));
}

TEST(Process, MayHaveAnyName) {
  ProcessIdentity const before = this_process();
  prctl(PR_SET_NAME, ") R 1 (2");
  EXPECT_EQ(this_process(), before);
  prctl(PR_SET_NAME, "runtime_test");
}

}  // namespace
}  // namespace halocline
