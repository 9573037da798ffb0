#include "drivers/halocline/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halocline {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgramDescription program_with(CommandOption const& option) {
  return {"program", "A program", "Examples:\n  program run\n\nExit codes: 0 done", {}, {{"run", "Runs", {option}}}};
}

TEST(Manual, NothingInASentenceIsACommandOfRoff) {
  std::string const page = manual_of_program(program_with(
      {.names = {"--path"}, .value = "A\\B", .choices = {}, .sentence = ".TH is 'no' `command`, C:\\n\n'nor"}));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-\\-path\\fR \\fIA\\eB\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.TH is \\(aqno\\(aq \\(gacommand\\(ga, C:\\en\n\\&\\(aqnor.\n"));
}

TEST(Manual, OtherAlphabetsGoByNumber) {
  std::string const page = manual_of_program(
      program_with({.names = {"--unit"}, .value = "", .choices = {"µm", "m²"}, .sentence = "Unit – of length"}));
  EXPECT_THAT(page, HasSubstr("Unit \\[u2013] of length (one of \\[u00B5]m, m\\[u00B2])."));
  EXPECT_THAT(page, Not(HasSubstr("µ")));
}

TEST(Manual, WordsWithoutAnOptionStandInTheSynopsis) {
  CommandOption const file{.names = {"FILE"},
                           .value = "FILE",
                           .choices = {},
                           .sentence = "What to run",
                           .is_positional = true,
                           .is_required = true};
  EXPECT_THAT(manual_of_program(program_with(file)), HasSubstr("\\fBprogram run\\fR [\\fIoptions\\fR] \\fIFILE\\fR\n"));
  CommandOption more = file;
  more.is_required = false;
  more.is_repeatable = true;
  EXPECT_THAT(manual_of_program(program_with(more)), HasSubstr("[\\fIoptions\\fR] [\\fIFILE\\fR ...]\n"));
}

TEST(Manual, ExamplesAndExitCodesAreThoseOfTheHelp) {
  std::string const page =
      manual_of_program(program_with({.names = {"--flag"}, .value = "", .choices = {}, .sentence = "F"}));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\nExit codes: 0 done\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.nf\n  program run\n.fi\n"));
}

}  // namespace
}  // namespace halocline
