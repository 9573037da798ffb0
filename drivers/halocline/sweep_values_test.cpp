#include "drivers/halocline/sweep_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using Words = std::vector<std::string>;

Words values_of(std::string const& typed) { return read_sweeps({typed}).at(0).values; }

Words folders_of(Words const& typed) {
  Words folders;
  for (SweptRun const& run : swept_runs(read_sweeps(typed))) folders.push_back(run.folder);
  return folders;
}

std::string mistakes_of(Words const& typed) {
  try {
    static_cast<void>(swept_runs(read_sweeps(typed)));
  } catch (InputError const& error) {
    return error.what();
  }
  return "none";
}

TEST(SweepValues, AreSplitAtCommasBetweenThem) {
  struct Row {
    std::string typed;
    Words values;
  };
  for (Row const& row : {
           Row{"F=0.02", {"0.02"}},
           Row{" F = 0.02 ,\t0.03", {"0.02", "0.03"}},
           Row{"mesh.cells=[64, 64],[128, 128]", {"[64, 64]", "[128, 128]"}},
           Row{"u={initial: x, a: [1, 2]},{}", {"{initial: x, a: [1, 2]}", "{}"}},
           Row{"u=min(x, max(y, z)),a==b", {"min(x, max(y, z))", "a==b"}},
           Row{R"(a='x,y',"x,[")", {"'x,y'", R"("x,[")"}},
           Row{R"(a='it''s, so',b)", {"'it''s, so'", "b"}},
           Row{R"(a="a\",b",c)", {R"("a\",b")", "c"}},
           Row{R"(a="a\\",c)", {R"("a\\")", "c"}},
           Row{R"(a=['x],', "y"],c)", {R"(['x],', "y"])", "c"}},
           // Inside a plain word it is an ordinary character.
           Row{"a=it's,that's", {"it's", "that's"}},
       }) {
    EXPECT_EQ(values_of(row.typed), row.values) << row.typed;
  }
  EXPECT_EQ(read_sweeps({" mesh.cells[0] =1"}).at(0).name, "mesh.cells[0]");
}

TEST(SweepValues, ThatAreNoneAreRefused) {
  for (auto const& [typed, what] : std::vector<std::pair<std::string, std::string>>{
           {"F", "expected a name and values, as in solver.method=cg,multigrid"},
           {"=1,2", "expected a name and values, as in solver.method=cg,multigrid"},
           {"", "expected a name and values, as in solver.method=cg,multigrid"},
           {"F=", "no values; give them after the equals sign, separated by commas"},
           {"F= ", "no values; give them after the equals sign, separated by commas"},
           {"F=1,,2", "value 2 of 3 is empty"},
           {"F=1,", "value 2 of 2 is empty"},
           {"F=1,2,1", "the value 1 is given twice"},
           {"F=[1,2", "an unmatched bracket"},
           {"F=1],2", "an unmatched bracket"},
           {"F=[1),2", "an unmatched bracket"},
           {"F='1,2", "an unmatched quotation mark"},
       }) {
    EXPECT_EQ(mistakes_of({typed}), std::string("`--sweep ").append(typed).append("`: ").append(what));
  }
  EXPECT_EQ(mistakes_of({"F=1", "k=", "F=2"}),
            "`--sweep k=`: no values; give them after the equals sign, separated by commas\n"
            "`--sweep F=2`: F is swept already");
}

TEST(SweptRuns, AreAllCombinationsTheLastOptionFastest) {
  std::vector<SweptRun> const runs = swept_runs(read_sweeps({"F=1,2", "k=3", "s=4,5,6"}));
  std::vector<Words> values;
  for (SweptRun const& run : runs) values.push_back(run.values);
  EXPECT_EQ(values,
            (std::vector<Words>{
                {"1", "3", "4"}, {"1", "3", "5"}, {"1", "3", "6"}, {"2", "3", "4"}, {"2", "3", "5"}, {"2", "3", "6"}}));
  EXPECT_EQ(runs.at(1).folder, "F=1,k=3,s=5");
}

TEST(SweptRuns, HaveFoldersOfNamesThatAreNames) {
  EXPECT_EQ(folders_of({"mesh.cells[0]=1e-3,-2"}), (Words{"mesh.cells_0=1e-3", "mesh.cells_0=-2"}));
  EXPECT_EQ(folders_of({"a=[64, 64],../x,/,a b*c$d,gr\xC3\xBC\xC3\x9F"}),
            (Words{"a=64_64", "a=.._x", "a=", "a=a_b_c_d", "a=gr\xC3\xBC\xC3\x9F"}));
  // Names that differ only in replaced characters need a number, which may already be used.
  EXPECT_EQ(folders_of({"a=x/y,x y,x_y-2,x_y"}), (Words{"a=x_y", "a=x_y-2", "a=x_y-2-2", "a=x_y-3"}));
}

TEST(SweptRuns, HaveShortFolders) {
  std::string const text(300, 'x');
  Words const folders = folders_of({"a=" + text + "1," + text + "2," + std::string(197, 'y') + "\xC3\xBC" + text});
  EXPECT_EQ(folders.at(0), "a=" + text.substr(0, 198));
  EXPECT_EQ(folders.at(1), folders.at(0) + "-2");
  EXPECT_EQ(folders.at(2), "a=" + std::string(197, 'y'));
}

TEST(SweptRuns, AreNotTooMany) {
  std::string hundred = "0";
  for (int n = 1; n < 100; ++n) hundred += "," + std::to_string(n);
  Words const folders = folders_of({"a=" + hundred, "b=" + hundred});
  EXPECT_EQ(folders.size(), most_swept_runs);
  EXPECT_EQ(std::set<std::string>(folders.begin(), folders.end()).size(), most_swept_runs);
  EXPECT_EQ(mistakes_of({"a=" + hundred, "b=" + hundred, "c=1,2"}),
            "--sweep: 100 x 100 x 2 runs; a sweep may have at most 10000");
}

}  // namespace
}  // namespace halocline
