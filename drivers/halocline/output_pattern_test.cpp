#include "drivers/halocline/output_pattern.hpp"

#include <gtest/gtest.h>

#include <map>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using Environment = std::map<std::string, std::string>;

std::string output_with(std::string const& pattern, Environment const& environment) {
  return output_of(pattern, "decks/heat.yaml", [&](char const* name) -> char const* {
    auto const found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(OutputPattern, IsFilledIn) {
  struct Row {
    std::string pattern;
    std::string folder;
    Environment environment;
  };
  for (Row const& row : {
           Row{"plain/a b", "plain/a b", {}},
           Row{"{deck}.out", "heat.out", {}},
           Row{"{{deck}}", "{deck}", {}},
           Row{"{deck}-{job}/{task}", "heat-12/3", {{"SLURM_JOB_ID", "12"}, {"SLURM_ARRAY_TASK_ID", "3"}}},
           Row{"{job}.{task}", "12[3].pbs.3", {{"PBS_JOBID", "12[3].pbs"}, {"PBS_ARRAY_INDEX", "3"}}},
           Row{"{job}.{task}", "12.3", {{"LSB_JOBID", "12"}, {"LSB_JOBINDEX", "3"}}},
           Row{"{task}", "0", {{"SLURM_ARRAY_TASK_ID", "0"}}},
       }) {
    EXPECT_EQ(output_with(row.pattern, row.environment), row.folder);
  }
}

TEST(OutputPattern, ThatCannotBeFilledInIsRefused) {
  struct Row {
    std::string pattern;
    std::string message;
    Environment environment;
  };
  std::string const no_task =
      "--output: {task}: no batch system has set it (none of SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX, PBS_ARRAYID, "
      "LSB_JOBINDEX, SGE_TASK_ID is set); leave it out";
  std::string const no_brace = ": unmatched brace; write `{{` and `}}` for braces in a name";
  for (Row const& row : {
           Row{"{job}",
               "--output: {job}: no batch system has set it (none of SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, JOB_ID "
               "is "
               "set); leave it out",
               {}},
           Row{"{task}", no_task, {{"SLURM_JOB_ID", "12"}}},
           Row{"{task}", no_task, {{"LSB_JOBINDEX", "0"}}},
           Row{"{task}", no_task, {{"SGE_TASK_ID", "undefined"}}},
           Row{"{tusk}", "--output: {tusk}: unknown; did you mean `task`?", {}},
           Row{"a{deck", "--output: `a{deck`" + no_brace, {}},
           Row{"a}", "--output: `a}`" + no_brace, {}},
       }) {
    try {
      EXPECT_EQ(output_with(row.pattern, row.environment), "nothing");
    } catch (InputError const& error) {
      EXPECT_EQ(error.what(), row.message);
    }
  }
}

}  // namespace
}  // namespace halocline
