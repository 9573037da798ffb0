#include "drivers/halocline/solve_warnings.hpp"

#include <gtest/gtest.h>

#include <string>

#include "framework/runtime/log.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

SolveReport solve_with(std::vector<std::string> const& fallbacks, std::string const& complaint) {
  SolveReport report;
  report.method = "cg";
  report.fallbacks = fallbacks;
  report.verification.emplace();
  report.verification->complaint = complaint;
  return report;
}

/// The warnings of two steps with two solves each.
std::string said(SolveReport const& first, SolveReport const& other) {
  testing::internal::CaptureStderr();
  {
    Log const log(test::communicator());
    SolveWarnings warnings;
    warnings.add({first, other});
    warnings.add({other, other});
    warnings.finish();
  }
  return testing::internal::GetCapturedStderr();
}

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SolveWarnings, SaysEachFallbackOnce) {
  std::string const text =
      said(solve_with({"one took its place"}, ""), solve_with({"one took its place", "another"}, ""));
  EXPECT_EQ(count(text, "warning: one took its place"), 1U) << text;
  EXPECT_EQ(count(text, "warning: another"), 1U) << text;
  EXPECT_EQ(count(text, "\n"), 2U) << text;
}

TEST(SolveWarnings, SaysTheFirstErrorAndHowManyThereAre) {
  std::string const text = said(solve_with({}, ""), solve_with({}, "the error is large"));
  EXPECT_EQ(count(text, "warning: cg: the error is large"), 1U) << text;
  EXPECT_EQ(count(text, "3 of 4 solves have an error"), 1U) << text;
  EXPECT_EQ(said(solve_with({}, ""), solve_with({}, "")), "");
}

TEST(SolveWarnings, SaysOnceThatCriteriaSayLittle) {
  SolveReport careful = solve_with({}, "");
  careful.caution = "the criteria say little";
  std::string const text = said(careful, careful);
  EXPECT_EQ(count(text, "warning: cg: the criteria say little"), 1U) << text;
  EXPECT_EQ(count(text, "\n"), 1U) << text;
}

}  // namespace
}  // namespace halocline
