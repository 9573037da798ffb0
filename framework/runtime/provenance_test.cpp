#include "framework/runtime/provenance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "framework/runtime/environment.hpp"
#include "framework/runtime/placement.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

using test::communicator;
using testing::HasSubstr;

TEST(Provenance, OfTheBuildNamesCompilerAndKokkos) {
  BuildFacts const facts = build_facts();
  EXPECT_THAT(facts.compiler, testing::ContainsRegex("^[A-Za-z]+ [0-9.]+$"));
  EXPECT_THAT(facts.flags, HasSubstr("-ffp-contract=off"));
  EXPECT_THAT(facts.kokkos, testing::ContainsRegex("^[45]\\.[0-9]+\\.[0-9]+$"));
  EXPECT_THAT(facts.kokkos_options, HasSubstr("SERIAL"));
}

TEST(Provenance, OfEveryRankIsKnownToRank0) {
  remember_rank_places(communicator().data());
  std::vector<RankPlace> const& places = rank_places();
  if (communicator().rank() > 0) {
    EXPECT_TRUE(places.empty());
    return;
  }
  ASSERT_EQ(places.size(), static_cast<std::size_t>(communicator().size()));
  for (RankPlace const& place : places) {
    EXPECT_EQ(place.node, host_name());
    EXPECT_FALSE(place.cores.empty());
    EXPECT_GE(place.threads, 1);
  }
  EXPECT_EQ(places.front().cores, usable_cores_text());
  EXPECT_EQ(places.front().threads, host_threads());
}

std::optional<BatchJob> job_with(std::map<std::string, std::string> const& variables) {
  return batch_job([&](char const* name) -> char const* {
    auto const found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Provenance, OfAJobIsThatOfItsBatchSystem) {
  EXPECT_FALSE(job_with({{"SLURM_JOB_NAME", "left over"}, {"SLURM_JOB_ID", ""}}).has_value());
  auto const array = job_with({{"SLURM_JOB_ID", "12"}, {"SLURM_JOB_NAME", "night"}, {"SLURM_ARRAY_TASK_ID", "3"}});
  ASSERT_TRUE(array.has_value());
  EXPECT_EQ(array->system, "Slurm");
  EXPECT_EQ(array->id, "12");
  EXPECT_EQ(array->name, "night");
  EXPECT_EQ(array->task, "3");
  auto const other = job_with({{"PBS_JOBID", "7.head"}});
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->system + other->id + other->name + other->task, "PBS7.head");
}

}  // namespace
}  // namespace halocline
