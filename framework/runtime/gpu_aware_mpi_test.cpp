#include "framework/runtime/gpu_aware_mpi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "framework/runtime/child_process.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/kept_answer.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Cause = ChildEnd::Cause;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char const* refused = "MPI does not accept device memory: a trial process ";

/// A temporary folder for one rank.
class Folder : public testing::Test {
 protected:
  Folder() { fs::create_directories(path_); }
  ~Folder() override { fs::remove_all(path_); }

  /// Writes a shell script.
  [[nodiscard]] fs::path program(std::string const& lines) const {
    fs::path path = path_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << lines << '\n';
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

  fs::path path_ = fs::temp_directory_path() / ("halocline-trial-" + std::to_string(getpid()));
};

/// A trial of a shell script in place of the probe; `env` replaces the launcher.
class Trial : public Folder {
 protected:
  [[nodiscard]] GpuAwareMpiAnswer answer_to(std::string const& lines, std::chrono::milliseconds timeout = 10s) const {
    return try_gpu_aware_mpi(
        {.program = program(lines), .launcher = {"env"}, .environment = {"PATH=/usr/bin:/bin"}, .timeout = timeout});
  }
};

ChildEnd shell(std::string const& lines, std::vector<std::string> environment = {}) {
  return run_child({"sh", "-c", lines}, std::move(environment), 10s);
}

TEST(ChildProcess, TellsHowItEnded) {
  EXPECT_EQ(shell("exit 0").failure, "");
  EXPECT_EQ(shell("exit 0").cause, Cause::code);
  EXPECT_EQ(shell("exit 3").failure, "ended with code 3");
  EXPECT_EQ(shell("exit 3").cause, Cause::code);
  // A launcher reports a rank's signal in its exit code; a process is ended by the signal itself.
  for (char const* const lines : {"kill -SEGV $$", "exit 139"}) {
    EXPECT_EQ(shell(lines).failure, "was ended by signal 11 (Segmentation fault)");
    EXPECT_EQ(shell(lines).cause, Cause::fault);
  }
  EXPECT_EQ(shell("kill -KILL $$").failure, "was ended by signal 9 (Killed)");
  EXPECT_EQ(shell("kill -KILL $$").cause, Cause::outside);
  EXPECT_EQ(run_child({"no-such-program"}, {}, 10s).failure, "cannot be started: No such file or directory");
  EXPECT_EQ(run_child({"no-such-program"}, {}, 10s).cause, Cause::outside);
}

TEST(ChildProcess, HearsStandardOutputAlone) {
  EXPECT_EQ(shell("echo this; echo that >&2; read word; echo $word").said, "this\n\n");
  // Far more than the limit, and than a pipe's buffer.
  std::string const much =
      shell("i=0; while [ $i -lt 4000 ]; do echo " + std::string(100, 'x') + "; i=$((i + 1)); done").said;
  EXPECT_EQ(much.size(), 65536u);
}

TEST(ChildProcess, HasTheEnvironmentItIsGiven) {
  EXPECT_EQ(shell("echo $WORD $HOME", {"WORD=this"}).said, "this\n");
  EXPECT_EQ(getenv("WORD"), nullptr);
}

/// The timeout ends the whole process group, even if it ignores SIGTERM.
TEST(ChildProcess, EndsInTime) {
  auto const begin = std::chrono::steady_clock::now();
  ChildEnd const end = run_child({"sh", "-c", "trap '' TERM; echo on; sleep 60 & sleep 60; sleep 60"}, {}, 300ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_EQ(end.failure, "did not end within 0.3 s");
  EXPECT_EQ(end.cause, Cause::outside);
  EXPECT_EQ(end.said, "on\n");
}

/// Ignored or blocked signals of the parent are not inherited.
TEST(ChildProcess, StartsWithSignalsAsTheyAre) {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(shell("kill -PIPE $$").failure, "was ended by signal 13 (Broken pipe)");
  std::signal(SIGPIPE, before);
}

TEST_F(Trial, TakesAProgramAtItsWord) {
  EXPECT_EQ(answer_to("echo begun 2; echo right").obstacle, "");
  EXPECT_TRUE(answer_to("echo begun 2; echo right").lasting);
}

TEST_F(Trial, NamesWhatWentWrong) {
  auto const expect = [&](std::string const& lines, std::string const& why, bool lasting) {
    GpuAwareMpiAnswer const answer = answer_to(lines);
    EXPECT_EQ(answer.obstacle, refused + why) << lines;
    EXPECT_EQ(answer.lasting, lasting) << lines;
  };
  expect("echo begun 2; kill -SEGV $$", "was ended by signal 11 (Segmentation fault)", true);
  expect("echo begun 2; echo right; kill -ABRT $$", "was ended by signal 6 (Aborted)", true);
  expect("echo begun 2; kill -KILL $$", "was ended by signal 9 (Killed)", false);
  expect("echo begun 2; exit 14", "ended with code 14", true);
  expect("echo begun 2; echo wrong; exit 1", "received wrong values", true);
  expect("echo begun 2", "reported no result", true);
  // It did not reach the messages.
  expect("kill -SEGV $$", "was ended by signal 11 (Segmentation fault)", false);
  expect("exit 1", "ended with code 1", false);
  expect("echo right", "reported no result", false);
  expect("echo not begun 2; echo all right", "reported no result", false);
}

TEST_F(Trial, WaitsForNoOneForEver) {
  GpuAwareMpiAnswer const answer = answer_to("echo begun 2; exec sleep 60", 300ms);
  EXPECT_EQ(answer.obstacle, std::string(refused) + "did not end within 0.3 s");
  EXPECT_FALSE(answer.lasting);
}

TEST_F(Trial, NamesAProgramThatIsMissing) {
  GpuAwareMpiAnswer const answer = try_gpu_aware_mpi({.program = "/no/such/program"});
  EXPECT_EQ(answer.obstacle, "cannot test whether MPI accepts device memory: there is no program /no/such/program");
  EXPECT_FALSE(answer.lasting);
}

/// Then one process sends to itself.
TEST_F(Trial, DoesWithoutALauncher) {
  fs::path const one = program("[ $# = 2 ] && echo begun 1 && echo right");
  for (std::vector<std::string> const& launcher :
       std::vector<std::vector<std::string>>{{"no-such-mpirun"}, {"false"}, {"sh", "-c", "echo begun 1; echo wrong"}}) {
    EXPECT_EQ(try_gpu_aware_mpi({.program = one, .launcher = launcher, .environment = {}}).obstacle, "");
  }
}

/// Runs the installed probe, started by this rank of mpirun.
TEST_F(Trial, RunsTheRealProgram) {
  if (test::communicator().rank() != 0) return;
  GpuAwareMpiTrial trial = default_gpu_aware_mpi_trial();
  for (std::string const& launcher : {std::string("mpirun"), std::string("no-such-mpirun")}) {
    trial.launcher.front() = launcher;
    trial.timeout = 60s;
    std::string const obstacle = try_gpu_aware_mpi(trial).obstacle;
    if (device_count() == 0) {
      EXPECT_EQ(obstacle, "");
    } else if (!obstacle.empty()) {
      EXPECT_THAT(obstacle, HasSubstr(refused));
    }
  }
  std::vector<std::string> words = trial.launcher;
  words.front() = "mpirun";
  words.insert(words.end(), {trial.program.string(), "0", "60"});
  trial.environment.insert(trial.environment.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                                     "OMPI_MCA_rmaps_base_oversubscribe=1"});
  EXPECT_THAT(run_child(words, trial.environment, 60s).said, HasSubstr("begun 2\n")) << "mpirun starts two ranks";
}

TEST(GpuAwareMpi, LeavesLaunchersOut) {
  std::vector<std::string> const variables{"OMPI_COMM_WORLD_RANK=1",
                                           "OMPI_MCA_pml=ucx",
                                           "OMPI_MCA_btl=^vader",
                                           "OMPI_MCA_orte_hnp_uri=1",
                                           "OMPI_MCA_ess=^singleton",
                                           "OMPI_MCA_pmix=^s1",
                                           "PMIX_RANK=0",
                                           "PMI_FD=3",
                                           "SLURM_PROCID=1",
                                           "UCX_TLS=self",
                                           "CUDA_VISIBLE_DEVICES=0,1",
                                           "OMPI_ALLOW_RUN_AS_ROOT=1",
                                           "PBS_NODEFILE=nodes",
                                           "HOME=/home/x"};
  EXPECT_THAT(trial_environment(variables),
              ElementsAre("OMPI_MCA_pml=ucx", "OMPI_MCA_btl=^vader", "UCX_TLS=self", "CUDA_VISIBLE_DEVICES=0,1",
                          "OMPI_ALLOW_RUN_AS_ROOT=1", "HOME=/home/x"));
}

TEST(GpuAwareMpi, TellsOneMpiFromAnother) {
  auto const key = [](std::vector<std::string> const& environment) {
    return gpu_aware_mpi_key({.environment = environment});
  };
  std::string const usual = key({"UCX_TLS=self", "OMPI_MCA_pml=ucx"});
  EXPECT_EQ(usual, key({"OMPI_MCA_pml=ucx", "HOME=/home/x", "UCX_TLS=self"}));
  for (char const* const variable : {"UCX_TLS=tcp", "LD_LIBRARY_PATH=/opt/ucx", "CUDA_VISIBLE_DEVICES=1", "MV2_X=1"}) {
    EXPECT_NE(usual, key({variable, "OMPI_MCA_pml=ucx"})) << variable;
  }
  EXPECT_THAT(usual, HasSubstr("\nMPI: "));
  EXPECT_THAT(usual, HasSubstr("\ndevice: " + device_name() + "\n"));
  EXPECT_THAT(usual, HasSubstr("\nlibrary: /"));
  EXPECT_THAT(usual, HasSubstr("libmpi"));
}

TEST(CacheFolder, IsWhereTheUserSays) {
  std::string const home = getenv("HOME") != nullptr ? getenv("HOME") : "";
  std::string const given = getenv("XDG_CACHE_HOME") != nullptr ? getenv("XDG_CACHE_HOME") : "";
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cache_folder(), "/cache/halocline");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/x", 1);
  EXPECT_EQ(cache_folder(), "/home/x/.cache/halocline");
  unsetenv("HOME");
  EXPECT_EQ(cache_folder(), "");
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
  if (!given.empty()) setenv("XDG_CACHE_HOME", given.c_str(), 1);
}

}  // namespace
}  // namespace halocline
