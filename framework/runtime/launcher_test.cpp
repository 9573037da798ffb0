#include "framework/runtime/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mpi.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

std::optional<LauncherPlace> place_with(std::map<std::string, std::string> const& variables) {
  return launcher_place([&](char const* name) -> char const* {
    auto const found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, IsKnownByWhatItSets) {
  struct Row {
    std::map<std::string, std::string> variables;
    std::optional<LauncherPlace> place;
  };
  std::map<std::string, std::string> const script{{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
  std::map<std::string, std::string> const step{{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "3"}};
  std::map<std::string, std::string> const shell{{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}};
  auto const with = [](std::map<std::string, std::string> some, std::map<std::string, std::string> const& more) {
    some.insert(more.begin(), more.end());
    return some;
  };
  for (Row const& row : {
           Row{{}, std::nullopt},
           Row{{{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}, LauncherPlace{3, 4}},
           Row{{{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}}, LauncherPlace{3, 4}},
           Row{{{"PMI_RANK", "3"}}, LauncherPlace{3, 0}},
           Row{{{"PMIX_RANK", "3"}}, LauncherPlace{3, 0}},
           Row{{{"MPI_LOCALNRANKS", "4"}, {"MPI_LOCALRANKID", "3"}}, LauncherPlace{3, 4}},
           Row{{{"PALS_RANKID", "3"}}, LauncherPlace{3, 0}},
           Row{{{"PMI_SIZE", "a lot"}}, LauncherPlace{0, 0}},
           Row{script, std::nullopt},
           Row{step, LauncherPlace{3, 4, true}},
           Row{with(step, {{"PMIX_RANK", "3"}}), LauncherPlace{3, 4}},
           Row{shell, std::nullopt},
           Row{with(shell, {{"PMIX_RANK", "0"}}), LauncherPlace{0, 1}},
           Row{with(shell, {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}}), LauncherPlace{1, 2}},
       }) {
    EXPECT_EQ(place_with(row.variables), row.place) << testing::PrintToString(row.variables);
  }
}

TEST(Launcher, OfRanksThatDoNotKnowEachOtherIsTold) {
  EXPECT_THAT(obstacle_before_mpi({0, 4, true}), HasSubstr("srun has started 4 ranks without a way to connect them"));
  EXPECT_THAT(obstacle_before_mpi({0, 4, true}), HasSubstr("srun --mpi=pmix"));
  EXPECT_EQ(obstacle_before_mpi({0, 4, false}), "");
  EXPECT_THAT(obstacle_of_singletons({0, 4}, 1), HasSubstr("has started 4 ranks, but each sees only itself"));
  EXPECT_THAT(obstacle_of_singletons({0, 4}, 1), HasSubstr(mpi_name()));
  for (auto const& [size, known] : {std::pair{1, 1}, {0, 1}, {4, 4}, {0, 4}}) {
    EXPECT_EQ(obstacle_of_singletons({0, size}, known), "");
  }
}

TEST(Launcher, OfAJobOfSeveralNodes) {
  std::map<std::string, std::string> variables;
  auto const lookup = [&](char const* name) -> char const* {
    auto const found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(nodes_of_job(lookup), 1);
  variables["SLURM_JOB_NUM_NODES"] = "3";
  EXPECT_EQ(nodes_of_job(lookup), 3);
}

TEST(Launcher, NamesTheLibrary) {
  EXPECT_FALSE(mpi_name().empty());
  EXPECT_EQ(mpi_name().find_first_of(",\n"), std::string::npos);
}

/// Creates a program `name`, or a program `target` and a link `name` to it.
void put_program(std::filesystem::path const& folder, std::string const& name, std::string const& target = "") {
  std::filesystem::path const file = folder / (target.empty() ? name : target);
  std::ofstream(file) << "#!/bin/sh\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  if (!target.empty()) std::filesystem::create_symlink(target, folder / name);
}

TEST(Launcher, IsTheMpirunOfThisMpi) {
  if (test::communicator().rank() > 0) return;
  namespace fs = std::filesystem;
  fs::path const folder = fs::temp_directory_path() / ("halocline-launcher-" + std::to_string(getpid()));
  fs::create_directory(folder);
#ifdef OPEN_MPI
  std::string const own = "mpirun.openmpi";
  std::string const foreign = "mpiexec.hydra";
#else
  std::string const own = "mpirun.mpich";
  std::string const foreign = "orterun";
#endif
  EXPECT_EQ(mpirun_program(folder.string()), "mpirun") << "there is none, which a message is to name";
  put_program(folder, "mpirun", foreign);
  std::string const built_with = mpirun_program(folder.string());
  EXPECT_TRUE(fs::path(built_with).is_absolute()) << built_with << ": an mpirun of another MPI is on PATH";
  put_program(folder, own);
  EXPECT_EQ(mpirun_program("/nonexistent:" + folder.string()), own);
  fs::remove(folder / "mpirun");
  put_program(folder, "mpirun");
  EXPECT_EQ(mpirun_program(folder.string()), "mpirun") << "somebody's own script";
  EXPECT_EQ(mpirun_words(3).back(), "3");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halocline
