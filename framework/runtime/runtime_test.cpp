#include <gtest/gtest.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/memory.hpp"
#include "framework/runtime/stop.hpp"
#include "framework/runtime/version.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;

TEST(Environment, ASecondOneJoinsTheFirst) {
  {
    Environment const second;
    EXPECT_FALSE(second.started_mpi());
    EXPECT_FALSE(second.started_kokkos());
  }
  EXPECT_TRUE(Kokkos::is_initialized());
  int finalized = 0;
  MPI_Finalized(&finalized);
  EXPECT_EQ(finalized, 0);
}

TEST(Environment, NamesTheBackend) {
  EXPECT_STREQ(backend_name, Execution::name());
  EXPECT_NE(backend_hardware(), "");
  EXPECT_GE(host_threads(), 1);
}

TEST(Environment, LeavesNoTraceOfALoneProcess) { EXPECT_EQ(getenv("OMPI_MCA_ess_singleton_isolated"), nullptr); }

TEST(StopSignals, OneRanksSignalStopsAll) {
  StopSignals const signals;
  EXPECT_EQ(stop_signal(), 0);
  EXPECT_FALSE(stop_requested(communicator()));
  if (communicator().rank() == communicator().size() - 1) raise(SIGTERM);
  EXPECT_TRUE(stop_requested(communicator()));
  EXPECT_EQ(stop_signal(), communicator().rank() == communicator().size() - 1 ? SIGTERM : 0);
}

TEST(StopSignals, TheSameSignalSoonAfterIsTheSameRequest) {
  using Meaning = StopRequests::Meaning;
  auto const start = StopRequests::Clock::now();
  StopRequests requests;
  EXPECT_EQ(requests.first(), 0);
  EXPECT_EQ(requests.add(SIGTERM, start), Meaning::stop);
  EXPECT_EQ(requests.add(SIGTERM, start + std::chrono::milliseconds(5)), Meaning::nothing_new);
  EXPECT_EQ(requests.add(SIGTERM, start + std::chrono::milliseconds(2999)), Meaning::nothing_new);
  EXPECT_EQ(requests.add(SIGINT, start + std::chrono::milliseconds(5)), Meaning::end_at_once);
  EXPECT_EQ(requests.add(SIGTERM, start + std::chrono::milliseconds(3000)), Meaning::end_at_once);
  EXPECT_EQ(requests.first(), SIGTERM);
}

TEST(StopSignals, AnotherRequestEndsAtOnce) {
  EXPECT_EXIT(
      {
        StopSignals const signals;
        raise(SIGUSR1);
        raise(SIGUSR1);
        raise(SIGUSR2);
      },
      testing::ExitedWithCode(5), "stopped by a second signal, before the end of a step");
}

TEST(StopSignals, TheEndRestores) {
  // Libraries of the backend may have their own handlers.
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  struct sigaction action {};
  {
    StopSignals const signals;
    EXPECT_EQ(stop_signal(), 0) << "an earlier run's signal is forgotten";
    raise(SIGINT);
    EXPECT_EQ(stop_signal(), SIGINT);
    sigaction(SIGTERM, nullptr, &action);
    EXPECT_NE(action.sa_handler, before.sa_handler);
  }
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, before.sa_handler);
}

TEST(AbruptEnds, AreRestoredAfterALibraryHasTakenTheSignals) {
  EXPECT_EXIT(
      {
        AbruptEnds const ends;
        std::signal(SIGABRT, [](int) {});
        restore_abrupt_ends();
        std::abort();
      },
      testing::ExitedWithCode(static_cast<int>(ExitCode::defect)), "crashed \\(abort\\)");
}

TEST(AbruptEnds, AreNotRestoredWhereThereAreNone) {
  struct sigaction before {};
  sigaction(SIGABRT, nullptr, &before);
  restore_abrupt_ends();
  struct sigaction after {};
  sigaction(SIGABRT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(Memory, IsWhatTheHostHasPerRank) {
  AvailableMemory const memory = memory_per_rank(communicator());
  Index const physical = Index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  EXPECT_GT(memory.host, 0);
  EXPECT_LE(memory.host * communicator().local_size(), physical);
  EXPECT_EQ(communicator().max(memory.host), memory.host) << "the same on all ranks";
}

/// A folder with the files of a control group.
class ControlGroup : public testing::Test {
 protected:
  ControlGroup() : root(std::filesystem::temp_directory_path() / ("halocline-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root / "memory");
  }
  ~ControlGroup() override { std::filesystem::remove_all(root); }
  void write(std::string const& name, std::string const& text) const { std::ofstream(root / name) << text; }

  std::filesystem::path root;
};

TEST_F(ControlGroup, CachedFilesAreFreeMemory) {
  constexpr Index unlimited = std::numeric_limits<Index>::max();
  EXPECT_EQ(free_of_control_group(root), unlimited);
  write("memory.max", "max\n");
  write("memory.current", "600\n");
  EXPECT_EQ(free_of_control_group(root), unlimited);
  write("memory.max", "1000\n");
  EXPECT_EQ(free_of_control_group(root), 400);
  write("memory.stat", "anon 200\nactive_file 90\ninactive_file 250\n");
  EXPECT_EQ(free_of_control_group(root), 650);
  write("memory/memory.limit_in_bytes", "900\n");
  write("memory/memory.usage_in_bytes", "800\n");
  write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 30\n");
  EXPECT_EQ(free_of_control_group(root), 130);
}

TEST(Log, Rank0SpeaksFromItsLevelUp) {
  EXPECT_FALSE(logs(LogLevel::error)) << "libraries are silent without a Log";
  log_warning("nobody hears this");
  testing::internal::CaptureStderr();
  {
    Log const log(communicator());
    EXPECT_EQ(logs(LogLevel::info), communicator().rank() == 0);
    EXPECT_FALSE(logs(LogLevel::debug));
    log_info("braces {} stay");
    log_debug("too fine");
    EXPECT_THROW(Log const second(communicator()), DefectError);
  }
  std::string const said = testing::internal::GetCapturedStderr();
  if (communicator().rank() == 0) {
    EXPECT_NE(said.find("info: braces {} stay\n"), std::string::npos) << said;
    EXPECT_EQ(said.find("too fine"), std::string::npos);
  } else {
    EXPECT_EQ(said, "");
  }
}

TEST(Log, EveryRankOnRequest) {
  testing::internal::CaptureStderr();
  {
    Log const log(communicator(), {LogLevel::debug, true});
    log_debug("here");
  }
  std::string const said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.substr(0, 4), "[" + std::to_string(communicator().rank()) + "] ");
  EXPECT_NE(said.find("debug: here\n"), std::string::npos) << said;
}

}  // namespace
}  // namespace halocline
