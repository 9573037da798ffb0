#include "framework/io/run_record.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/placement.hpp"
#include "framework/runtime/provenance.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/version.hpp"
#include "tests/support/communicator.hpp"
#include "tests/support/file_size_limit.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;

/// A scratch folder for each rank.
class Output : public testing::Test {
 protected:
  Output() {
    std::string name = (fs::temp_directory_path() / "halocline_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::bad_alloc();
    folder = name;
  }
  ~Output() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  static std::string read(fs::path const& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  template <class Thrown>
  static void expect_message(std::function<void()> const& function, std::string const& message) {
    try {
      function();
      ADD_FAILURE() << "nothing thrown; expected: " << message;
    } catch (Thrown const& error) {
      EXPECT_EQ(error.what(), message);
    }
  }

  Communicator const& ranks = test::communicator();
  fs::path folder;
};

TEST_F(Output, WholeFilesReplaceOldOnes) {
  fs::path const path = folder / "a.txt";
  write_whole_file(path, "old");
  write_whole_file(path, "new\n");
  EXPECT_EQ(read(path), "new\n");
  EXPECT_FALSE(fs::exists(partial_name(path)));
}

TEST_F(Output, AFileThatCannotBeWrittenLeavesTheOldOne) {
  fs::path const path = folder / "a.txt";
  write_whole_file(path, "old");
  {
    FileSizeLimit const limit(1000);
    expect_message<InputOutputError>([&] { write_whole_file(path, std::string(5000, 'x')); },
                                     "cannot write " + path.string() + ": File too large");
  }
  EXPECT_EQ(read(path), "old");
  EXPECT_FALSE(fs::exists(partial_name(path)));
  fs::path const nowhere = folder / "missing" / "a.txt";
  expect_message<InputOutputError>([&] { write_whole_file(nowhere, ""); },
                                   "cannot write " + nowhere.string() + ": No such file or directory");
}

TEST_F(Output, TablesReadBackExactly) {
  fs::path const path = folder / "t.csv";
  double const third = 1.0 / 3;
  TableWriter table(path, {"step", "energy [J]", "note"});
  table.add({Index{1} << 40, third, std::string("plain")});
  table.add({Index{-2}, std::numeric_limits<double>::quiet_NaN(), std::string("with, \"marks\"")});
  table.flush();
  EXPECT_EQ(read(path),
            "step,energy [J],note\n1099511627776,0.3333333333333333,plain\n-2,nan,\"with, \"\"marks\"\"\"\n");
  expect_message<DefectError>([&] { table.add({Index{1}}); }, path.string() + " has 3 columns; a row has 1 values");
  for (double const value : {third, 1e300, 5e-324, -0.1, 123456789.0}) {
    EXPECT_EQ(std::strtod(shortest_text(value).c_str(), nullptr), value);
  }
}

TEST_F(Output, ATableThatFindsNoRoomEndsWithAWholeRow) {
  fs::path const path = folder / "t.csv";
  TableWriter table(path, {"step"});
  table.add({Index{1}});
  table.flush();
  table.add({Index{123456}});
  table.add({Index{123457}});
  {
    FileSizeLimit const limit(12);
    expect_message<InputOutputError>([&] { table.flush(); }, "cannot write " + path.string() + ": File too large");
    EXPECT_EQ(read(path), "step\n1\n");
  }
  table.flush();
  EXPECT_EQ(read(path), "step\n1\n123456\n123457\n") << "there is room again";
}

TEST_F(Output, ReservedRoomIsTaken) {
  fs::path const path = folder / "a.txt";
  reserve_whole_file(path, 100000);
  EXPECT_EQ(fs::file_size(reserved_name(path)), 100000U);
  struct stat status {};
  ASSERT_EQ(stat(reserved_name(path).c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 100000);
  write_reserved_file(path, "short");
  EXPECT_EQ(read(path), "short");
  EXPECT_FALSE(fs::exists(partial_name(path)));
  EXPECT_FALSE(fs::exists(reserved_name(path)));
  FileSizeLimit const limit(1000);
  expect_message<InputOutputError>([&] { reserve_whole_file(path, 5000); },
                                   "cannot write " + path.string() + ": File too large");
  EXPECT_FALSE(fs::exists(reserved_name(path)));
}

TEST_F(Output, WhatStandsForAFileIsNeverWrittenThrough) {
  fs::path const precious = folder / "precious";
  fs::path const path = folder / "summary.json";
  using Plant = std::function<void(fs::path const&)>;
  for (Plant const& plant : {Plant([&](auto const& name) { fs::create_symlink(precious, name); }),
                             Plant([&](auto const& name) { fs::create_hard_link(precious, name); }),
                             Plant([&](auto const& name) { fs::create_symlink(folder / "nowhere", name); }),
                             Plant([&](auto const& name) { ASSERT_EQ(mkfifo(name.c_str(), 0600), 0); })}) {
    std::ofstream(precious) << "mine";
    plant(partial_name(path));
    write_whole_file(path, "text");
    EXPECT_EQ(read(path), "text");
    plant(partial_name(path));
    reserve_whole_file(path, 100);
    fs::remove(path);
    plant(path);
    write_whole_file(path, "other");
    EXPECT_EQ(read(path), "other");
    fs::remove(path);
    plant(path);
    EXPECT_THROW(TableWriter(path, {"step"}), InputOutputError);
    fs::remove(path);
    EXPECT_EQ(read(precious), "mine");
    EXPECT_FALSE(fs::exists(folder / "nowhere"));
    fs::remove(precious);
  }
}

TEST_F(Output, Checksum) {
  // XXH3 (128 bits) of the empty text, from the algorithm's published test values.
  EXPECT_EQ(checksum(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(checksum("a"), checksum("b"));
}

nlohmann::json summary_in(fs::path const& folder) {
  std::ifstream file(folder / "summary.json");
  return nlohmann::json::parse(file);
}

TEST_F(Output, ARunThatOnlyAKillEndedIsOnRecord) {
  if (ranks.rank() != 0) return;
  auto const before = fs::file_time_type::clock::now() - std::chrono::seconds(1);
  auto const after = before + std::chrono::hours(1);
  RunRecord record(folder, ranks, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  EXPECT_EQ(summary_in(folder)["status"], "running");
  EXPECT_TRUE(summary_in(folder)["exit_code"].is_null());
  EXPECT_EQ(summary_in(folder)["provenance"]["deck"]["path"], "plate.yaml");

  close_summary(folder, after, ExitCode::stopped, "of another run");
  EXPECT_EQ(summary_in(folder)["status"], "running");
  close_summary(folder, before, ExitCode::stopped, "a rank was lost");
  EXPECT_EQ(summary_in(folder)["status"], "stopped");
  EXPECT_EQ(summary_in(folder)["exit_code"], 5);
  EXPECT_EQ(summary_in(folder)["message"], "a rank was lost");
  EXPECT_EQ(summary_in(folder)["provenance"]["deck"]["path"], "plate.yaml");
  close_summary(folder, before, ExitCode::input_output, "too late");
  EXPECT_EQ(summary_in(folder)["message"], "a rank was lost");

  fs::path const nothing = folder / "nothing";
  close_summary(nothing, before, ExitCode::stopped, "no run began");
  EXPECT_FALSE(fs::exists(nothing));
}

TEST_F(Output, AnAbruptEndIsOnRecord) {
  // Each rank is a separate run here.
  Communicator const alone(MPI_COMM_SELF);
  std::string const message = "crashed in \"x\\y\"\nhere";
  RunRecord record(folder, alone, {"halocline run plate.yaml", "plate.yaml", "steps: 7\n", "", {"host"}});
  record.prepare_for_abrupt_end(alone);
  record.add_step(12, 0.1, {}, {});
  // First asked to stop, then crashed.
  close_abrupt_record(ExitCode::stopped, message);
  EXPECT_EQ(summary_in(folder)["status"], "stopped");
  close_abrupt_record(ExitCode::defect, message);
  nlohmann::json const summary = summary_in(folder);
  EXPECT_EQ(summary["status"], "defect");
  EXPECT_EQ(summary["exit_code"], 70);
  EXPECT_EQ(summary["message"], R"(crashed in "x\y" here)");
  EXPECT_EQ(summary["steps"], 12);
  EXPECT_EQ(summary["time"], 0.1);
  EXPECT_EQ(summary["abrupt"], true);
  EXPECT_EQ(summary["provenance"]["deck"]["text"], "steps: 7\n");
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
    std::string const name = entry.path().filename().string();
    EXPECT_FALSE(name.starts_with("summary.json.")) << name;
  }
  close_summary(folder, fs::file_time_type::min(), ExitCode::stopped, "a rank was lost");
  EXPECT_EQ(summary_in(folder)["message"], "a rank was lost");
  record.finish(ExitCode::done);
  EXPECT_FALSE(summary_in(folder).contains("abrupt"));
  close_abrupt_record(ExitCode::defect, message);
  EXPECT_EQ(summary_in(folder)["status"], "done") << "there is nothing to close any more";
}

TEST_F(Output, AnEndAtOnceWhileTheSummaryIsWrittenIsOnRecord) {
  fs::path const path = folder / "summary.json";
  Communicator const alone(MPI_COMM_SELF);
  RunRecord record(folder, alone, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  AbruptSummary summary(path, "{\n  \"quantities\": {}\n}\n", 0);
  summary.take_over();
  // The reserved space is in use, and the complete summary does not have its final name yet.
  fs::rename(reserved_name(path), partial_name(path));
  close_abrupt_record(ExitCode::stopped, "asked to stop");
  EXPECT_EQ(summary_in(folder)["status"], "running");
  summary.close(ExitCode::stopped, "ended");
  EXPECT_EQ(summary_in(folder)["status"], "stopped");
}

TEST_F(Output, OneRankWritesAnAbruptEnd) {
  Communicator const alone(MPI_COMM_SELF);
  RunRecord record(folder, alone, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  record.prepare_for_abrupt_end(alone);
  // Simulates another rank that takes the space first.
  fs::rename(reserved_name(folder / "summary.json"), folder / "taken");
  close_abrupt_record(ExitCode::defect, "a crash");
  EXPECT_EQ(summary_in(folder)["status"], "running");
}

TEST_F(Output, ARecordWithoutRoomTellsSo) {
  if (ranks.rank() != 0) return;
  {
    FileSizeLimit const limit(20000);
    EXPECT_THROW(RunRecord(folder, ranks, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}}),
                 InputOutputError);
  }
  EXPECT_EQ(summary_in(folder)["status"], "input/output failed");
  EXPECT_EQ(summary_in(folder)["message"], "cannot write " + (folder / "summary.json").string() + ": File too large");
}

TEST_F(Output, AFailedRunWithoutRoomForItsSolvesIsOnRecord) {
  if (ranks.rank() != 0) return;
  RunRecord record(folder, ranks, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  EXPECT_GT(fs::file_size(reserved_name(folder / "summary.json")), fs::file_size(folder / "summary.json"));
  std::vector<SolveReport> const solves(1000);
  record.add_solves(1, solves);
  FileSizeLimit const limit(40000);
  EXPECT_THROW(record.finish(ExitCode::done), InputOutputError);
  EXPECT_EQ(summary_in(folder)["status"], "running");
  record.finish(ExitCode::input_output, "a full disk");
  EXPECT_EQ(summary_in(folder)["status"], "input/output failed");
  EXPECT_EQ(summary_in(folder)["message"], "a full disk");
  EXPECT_TRUE(summary_in(folder)["solves"].empty());
  EXPECT_FALSE(fs::exists(partial_name(folder / "summary.json")));
}

TEST_F(Output, NumbersThatAreNoneAreOnRecord) {
  if (ranks.rank() != 0) return;
  double const infinity = std::numeric_limits<double>::infinity();
  double const nan = -std::numeric_limits<double>::quiet_NaN();
  RunRecord record(folder, ranks, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  std::vector<NamedValue> const quantities{{"mass", nan}, {"energy", -infinity}};
  SolveReport solve;
  solve.method = "cg";
  solve.initial_residual = infinity;
  solve.final_residual = nan;
  solve.history = {infinity, nan};
  record.add_step(3, 0.75, quantities, {{solve}});
  record.set_conserved({{"mass", 1.5, nan, nan, infinity}});
  NotFinite bad{.name = "u", .value = -infinity, .point = NotFinite::Point{}, .step = 3, .time = 0.75};
  bad.point->centring = "cell";
  bad.point->index = {4, 5};
  bad.point->position = {0.5, 0.25};
  bad.point->count = 7;
  record.set_not_finite(bad);
  record.finish(ExitCode::unsolved, "u is -inf");
  EXPECT_EQ(read(folder / "scalars.csv"), "step,time,mass,energy\n3,0.75,nan,-inf\n");
  EXPECT_EQ(read(folder / "residuals.csv"), "step,solve,method,iteration,residual\n3,1,cg,0,inf\n3,1,cg,1,nan\n");
  auto const summary = summary_in(folder);
  EXPECT_EQ(summary["status"], "not a number");
  EXPECT_EQ(summary["quantities"], nlohmann::json::parse(R"({"mass": "nan", "energy": "-inf"})"));
  EXPECT_EQ(summary["conserved"]["mass"], nlohmann::json::parse(R"({"initial": 1.5, "final": "nan",
      "largest_relative_drift": "nan", "explained_relative_drift": "inf"})"));
  EXPECT_EQ(summary["solves"][0]["initial_residual"], "inf");
  EXPECT_EQ(summary["solves"][0]["final_residual"], "nan");
  EXPECT_EQ(summary["not_finite"],
            nlohmann::json::parse(R"({"field": "u", "component": 0, "centring": "cell", "index": [4, 5],
      "position": [0.5, 0.25], "count": 7, "value": "-inf", "step": 3, "time": 0.75, "last_finite_step": null})"));
  bad = {.name = "the quantity `mass`", .value = nan, .step = 3, .time = 0.75, .last_finite_step = 2};
  record.set_not_finite(bad);
  record.finish(ExitCode::input_output, "and then the disk was full");
  EXPECT_EQ(summary_in(folder)["status"], "input/output failed");
  EXPECT_EQ(summary_in(folder)["not_finite"], nlohmann::json::parse(R"({"number": "the quantity `mass`", "value": "nan",
      "step": 3, "time": 0.75, "last_finite_step": 2})"));
}

TEST_F(Output, AnErrorThatIsNotKnownIsSaidToBeSo) {
  Verification verification;
  verification.doubt = "the solve stalled";
  std::vector<SolveReport> solves(2);
  solves[0].verification = verification;
  verification.error_estimate = std::numeric_limits<double>::quiet_NaN();
  solves[1].verification = verification;
  RunRecord record(folder, ranks, {"halocline run plate.yaml", "plate.yaml", "", "", {"host"}});
  record.add_solves(1, solves);
  record.finish(ExitCode::done, "");
  if (ranks.rank() != 0) return;
  auto const summary = summary_in(folder);
  EXPECT_EQ(summary["solves"][0]["verification"],
            nlohmann::json::parse(R"({"trusted": false, "doubt": "the solve stalled"})"));
  EXPECT_EQ(summary["solves"][1]["verification"],
            nlohmann::json::parse(R"({"error_estimate": "nan", "trusted": false, "doubt": "the solve stalled"})"));
}

/// A solve with the longest texts that solvers write.
SolveReport long_solve(Index iterations) {
  SolveReport solve{.method = "bicgstab",
                    .outcome = Outcome::converged,
                    .iterations = iterations,
                    .initial_residual = 1 / 3.,
                    .final_residual = 1e-10 / 3,
                    .true_residual = 1e-10 / 7,
                    .seconds = 0.5,
                    .history = {},
                    .measured = {},
                    .remark = std::string(150, 'r'),
                    .verification = Verification{},
                    .fallbacks = {std::string(150, 'f')}};
  solve.verification->error_estimate = 1e-9 / 3;
  solve.verification->symmetry_defect = 1e-16 / 3;
  return solve;
}

TEST_F(Output, AHundredThousandSolvesAreSummarised) {
  constexpr Index count = 100000;
  constexpr Index hard = 5000, doubted = 70000, stopped = 60000;
  auto const add = [&](RunRecord& record, Index from, Index to) {
    for (Index step = from; step <= to; ++step) {
      SolveReport solve = long_solve(step == hard ? 99 : 20);
      if (step == doubted) solve.verification->doubt = "the solve stalled";
      record.add_solves(step, std::span(&solve, 1));
    }
  };
  Provenance const provenance{"halocline run plate.yaml", "plate.yaml", "", "", {"host"}};
  std::string kept;
  {
    RunRecord record(folder, ranks, provenance);
    add(record, 1, stopped);
    if (ranks.rank() == 0) kept = record.serialized(stopped);
    EXPECT_LT(kept.size(), std::size_t{1} << 20U) << "what checkpoints keep";
    add(record, stopped + 1, count);
    record.finish(ExitCode::done, "");
  }
  nlohmann::json const summary = ranks.rank() == 0 ? summary_in(folder) : nlohmann::json();
  std::uintmax_t const bytes = ranks.rank() == 0 ? fs::file_size(folder / "summary.json") : 0;
  {
    RunRecord record(folder, ranks, provenance, kept);
    add(record, stopped + 1, count);
    record.finish(ExitCode::done, "");
  }
  if (ranks.rank() != 0) return;
  EXPECT_LT(bytes, std::size_t{1} << 20U);
  auto const& solves = summary["solves"];
  ASSERT_EQ(solves.size(), 900U);
  EXPECT_EQ(solves.front()["step"], 1);
  EXPECT_EQ(solves.back()["step"], count);
  Index before = 0;
  Index hardest = 0, doubts = 0;
  for (auto const& solve : solves) {
    EXPECT_GT(solve["step"].get<Index>(), before) << "in the order of steps";
    before = solve["step"];
    hardest += solve["iterations"] == 99 ? 1 : 0;
    doubts += solve["verification"].contains("doubt") ? 1 : 0;
  }
  EXPECT_EQ(hardest, 1);
  EXPECT_EQ(doubts, 1);
  EXPECT_EQ(
      summary["solve_totals"],
      nlohmann::json::parse(
          R"({"count": 100000, "outcomes": {"converged": 100000}, "iterations": 2000079, "seconds": 50000, "left_out": 99100})"));
  // The run that continued ends with the same list.
  EXPECT_EQ(summary_in(folder)["solves"], solves);
  EXPECT_EQ(summary_in(folder)["solve_totals"], summary["solve_totals"]);
}

TEST_F(Output, TimesOfRanksAreTold) {
  {
    RunRecord record(folder, ranks, {});
    record.add_timing("waiting", RankSeconds{0.5, 1, 2});
    record.set_regions({{"step", 3, {1, 2, 4}}, {"output", 2.5, {0, 0.25, 1}}});
    record.finish(ExitCode::done);
  }
  if (ranks.rank() != 0) return;
  auto const timings = summary_in(folder)["timings"];
  EXPECT_EQ(timings["waiting"], nlohmann::json::parse(R"({"least": 0.5, "mean": 1.0, "most": 2.0})"));
  EXPECT_EQ(timings["regions"],
            nlohmann::json::parse(R"([{"name": "step", "calls": 3, "seconds": {"least": 1.0, "mean": 2.0, "most": 4.0}},
                {"name": "output", "calls": 2.5, "seconds": {"least": 0.0, "mean": 0.25, "most": 1.0}}])"));
  EXPECT_TRUE(timings["regions"][0]["calls"].is_number_integer());
}

/// As in a failed run: rank 0 reports its own times without communication.
TEST_F(Output, TimesOfARankAloneAreToldToo) {
  if (ranks.rank() != 0) return;
  { ScopedRegion const region("a region"); }
  RunRecord(folder, ranks, {}).finish(ExitCode::unsolved, "no answer");
  auto const regions = summary_in(folder)["timings"]["regions"];
  ASSERT_FALSE(regions.empty());
  for (auto const& region : regions) EXPECT_EQ(region["seconds"]["least"], region["seconds"]["most"]);
}

TEST_F(Output, TheRecordOfARun) {
  SolveReport solve;
  solve.method = "cg";
  solve.outcome = Outcome::converged;
  solve.iterations = 20;
  solve.initial_residual = 1;
  solve.true_residual = std::numeric_limits<double>::quiet_NaN();
  solve.history = {1.0, 0.1, 0.01};
  solve.measured = {0, 10, 20};
  SolveReport verified = solve;
  verified.fallbacks = {"one took the place of another"};
  verified.verification = Verification{.error_estimate = 1e-9,
                                       .symmetry_defect = {},
                                       .smallest_ritz_value = -0.5,
                                       .preconditioner_symmetry_defect = 1e-16};
  {
    RunRecord record(folder, ranks,
                     {"halocline run plate.yaml", "plate.yaml", "mesh: {}\n", R"({"mesh":{}})", {"host"}});
    std::vector<NamedValue> quantities{{"mass", 1.5}, {"energy", 0.1}};
    record.add_step(0, 0.0, quantities, {});
    quantities[1].value = 0.3;
    record.add_step(1, 0.25, quantities, {{solve, verified}});
    record.add_timing("solve", 2.5);
    record.set_conserved({{"mass", 1.5, 1.25, 0.5, 1e-12}});
    record.finish(ExitCode::unsolved, "no answer \xff");
  }
  if (ranks.rank() != 0) {
    EXPECT_TRUE(fs::is_empty(folder));
    return;
  }
  EXPECT_EQ(read(folder / "scalars.csv"), "step,time,mass,energy\n0,0,1.5,0.1\n1,0.25,1.5,0.3\n");
  EXPECT_EQ(read(folder / "residuals.csv"),
            "step,solve,method,iteration,residual\n1,1,cg,0,1\n1,1,cg,10,0.1\n1,1,cg,20,0.01\n"
            "1,2,cg,0,1\n1,2,cg,10,0.1\n1,2,cg,20,0.01\n");
  auto const summary = nlohmann::json::parse(read(folder / "summary.json"));
  EXPECT_EQ(summary["status"], "unsolved");
  EXPECT_EQ(summary["exit_code"], 3);
  EXPECT_EQ(summary["message"].get<std::string>().substr(0, 9), "no answer");
  EXPECT_EQ(summary["quantities"]["energy"], 0.3);
  EXPECT_EQ(summary["conserved"], nlohmann::json::parse(R"({"mass": {"initial": 1.5, "final": 1.25,
      "largest_relative_drift": 0.5, "explained_relative_drift": 1e-12}})"));
  EXPECT_EQ(summary["solves"].size(), 2U);
  EXPECT_EQ(summary["solve_totals"]["count"], 2);
  EXPECT_EQ(summary["solve_totals"]["left_out"], 0);
  EXPECT_EQ(summary["solves"][0]["outcome"], "converged");
  EXPECT_EQ(summary["solves"][0]["iterations"], 20);
  EXPECT_EQ(summary["solves"][0]["true_residual"], "nan");
  EXPECT_FALSE(summary.contains("not_finite"));
  EXPECT_FALSE(summary["solves"][0].contains("verification"));
  EXPECT_FALSE(summary["solves"][0].contains("fallbacks"));
  EXPECT_EQ(summary["solves"][1]["fallbacks"], nlohmann::json::parse(R"(["one took the place of another"])"));
  EXPECT_EQ(
      summary["solves"][1]["verification"],
      nlohmann::json::parse(
          R"({"error_estimate": 1e-9, "trusted": true, "smallest_ritz_value": -0.5, "preconditioner_symmetry_defect": 1e-16})"))
      << "what was measured";
  EXPECT_EQ(summary["timings"]["solve"], 2.5);
  EXPECT_GE(summary["timings"]["total"], 0.0);
  auto const& provenance = summary["provenance"];
  EXPECT_EQ(provenance["deck"]["xxh3_128"], checksum("mesh: {}\n"));
  EXPECT_EQ(provenance["deck"]["text"], "mesh: {}\n");
  EXPECT_EQ(provenance["version"], version);
  EXPECT_EQ(provenance["backend"], backend_name);
  EXPECT_EQ(provenance["ranks"], ranks.size());
  EXPECT_EQ(provenance["transport"], "host");
  EXPECT_EQ(provenance["build"]["mpi"], mpi_name());
  EXPECT_EQ(provenance["build"]["compiler"], build_facts().compiler);
  EXPECT_EQ(provenance["build"]["kokkos"]["version"], build_facts().kokkos);
  // For the whole run, even if a test makes a record with some of its ranks.
  EXPECT_EQ(provenance["nodes"], nlohmann::json::array({host_name()}));
  ASSERT_GE(provenance["binding"].size(), static_cast<std::size_t>(ranks.size()));
  EXPECT_EQ(provenance["binding"][0]["cores"], usable_cores_text());
}

}  // namespace
}  // namespace halocline
