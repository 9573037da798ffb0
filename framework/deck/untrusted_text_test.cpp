#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Section root_section() {
  Section root("", "A run.");
  root.choice("physics", "What is solved.", {"flow", "lattice"});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells.", 1, 3).at_least(1);
  mesh.expression("density", "Of it.").defaults_to("1");
  Section region("regions", "A part.");
  region.real("value", "Of it.");
  root.list(region);
  return root;
}

std::string const good =
    "%YAML 1.2\n---\n# a comment\nphysics: flow\nmesh: &mesh\n  cells: [4, 3]\n  density: \"1 + x\"\n"
    "regions:\n  - {value: 1.5}\n  - value: -2\n";

/// Reads an arbitrary text: it must be accepted as a deck or refused as one.
void read_anything(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)Deck("d.yaml", text, overrides_by_set(overrides)).read(root_section());
  } catch (InputError const&) {
    // InputError refuses the text; any other exception fails the test.
  }
}

std::string refusal(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)Deck("d.yaml", text, overrides_by_set(overrides)).read(root_section());
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(UntrustedText, GoodDeckIsOne) { EXPECT_NO_THROW((void)Deck("d.yaml", good).read(root_section())); }

TEST(UntrustedText, TruncatedDecksAreReadOrRefused) {
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NO_THROW(read_anything(good.substr(0, length)));
}

TEST(UntrustedText, ChangedDecksAreReadOrRefused) {
  std::mt19937 random(1);
  std::string const signs = "{}[]:,-&*?|>'\"%@`!#\n\t \\x0<.~=";
  for (int n = 0; n < 5000; ++n) {
    std::string text = good;
    for (int change = 0; change < 1 + n % 8; ++change) {
      char const sign = n % 3 == 0 ? static_cast<char>(random() % 256) : signs[random() % signs.size()];
      text[random() % text.size()] = sign;
    }
    EXPECT_NO_THROW(read_anything(text)) << text;
  }
}

TEST(UntrustedText, AnyOverrideIsAppliedOrRefused) {
  std::mt19937 random(2);
  std::string const signs = "meshclr.[]=0129{}:-,& *";
  for (int n = 0; n < 5000; ++n) {
    std::string text;
    for (std::size_t length = random() % 16; text.size() < length;) text += signs[random() % signs.size()];
    EXPECT_NO_THROW(read_anything(good, {text, "mesh.cells" + text})) << text;
  }
}

TEST(UntrustedText, AliasesThatMultiplyAreRefused) {
  std::string text = "a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int n = 1; n < 12; ++n) {
    std::string const before = "*a" + std::to_string(n - 1);
    text += "b" + std::to_string(n) + ": &a" + std::to_string(n) + " [" + before;
    for (int copy = 1; copy < 10; ++copy) text += ", " + before;
    text += "]\n";
  }
  EXPECT_EQ(refusal(text),
            "`d.yaml`: aliases repeat more than 100000 values or 16 MiB of text, the most a deck may have "
            "(d.yaml:5:40)");
}

std::string numbered(std::string const& before, std::string const& after, int count) {
  std::string text;
  for (int n = 0; n < count; ++n) text += before + std::to_string(n) + after;
  return text;
}

std::string repeated(std::string const& piece, int count) {
  std::string text;
  for (int n = 0; n < count; ++n) text += piece;
  return text;
}

std::size_t lines_of(std::string const& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

// Each of these needs minutes, gigabytes or a stack overflow if time or memory is not linear in the text.
TEST(UntrustedText, UnknownNamesAreCountedAndFiftyShown) {
  std::string const said = refusal("physics: flow\nmesh: {cells: 4}\n" + numbered("name_", ": 1\n", 100000));
  EXPECT_EQ(lines_of(said), 51U);
  EXPECT_THAT(said, StartsWith("`name_0`: unknown in the deck (d.yaml:3:1); known: physics, mesh, regions\n"));
  EXPECT_THAT(said, EndsWith("\n... and 99950 more mistakes"));
}

TEST(UntrustedText, NamesGivenTwiceAreCountedAndFiftyShown) {
  std::string const said = refusal("mesh: {cells: 4}\n" + repeated("physics: flow\n", 52));
  EXPECT_EQ(lines_of(said), 51U);
  EXPECT_THAT(said, StartsWith("`physics`: given twice in the deck (d.yaml:3:1); first at d.yaml:2:1\n"));
  EXPECT_THAT(said, EndsWith("\n... and 1 more mistake"));
}

TEST(UntrustedText, MergedSectionsMayBeLarge) {
  std::string const said = refusal("physics: flow\nmesh:\n  cells: 4\n  <<: {" + numbered("a", ": 1, ", 40000) + "}\n" +
                                   numbered("  b", ": 1\n", 40000));
  EXPECT_THAT(said, EndsWith("\n... and 79950 more mistakes"));
}

TEST(UntrustedText, NestedAnchorsCostTheirTextOnce) {
  std::string const said = refusal("physics: flow\nmesh: {cells: 4}\na: " + numbered("&b", " [", 60) +
                                   repeated("1,", 200000) + repeated("]", 60));
  EXPECT_EQ(said, "`a`: unknown in the deck (d.yaml:3:1); known: physics, mesh, regions");
}

TEST(UntrustedText, LongTextsAreNotRepeatedWithoutBound) {
  std::string const said = refusal("a: &a " + std::string(500000, 'x') + "\nb: [" + repeated("*a, ", 10000) + "]\n");
  EXPECT_EQ(said,
            "`d.yaml`: aliases repeat more than 100000 values or 16 MiB of text, the most a deck may have "
            "(d.yaml:2:137)");
}

TEST(UntrustedText, LimitsAreNamed) {
  std::string const good_mesh = "physics: flow\nmesh: {cells: 4}\n";
  EXPECT_EQ(refusal(good_mesh + "regions: [" + repeated("{},", 100001) + "]\n"),
            "`regions`: has 100001 entries; a list may have at most 100000 (d.yaml:3:10)");
  EXPECT_EQ(refusal("physics: flow\nmesh: {cells: [" + repeated("1,", 200000) + "]}\n"),
            "`mesh.cells`: expected 1 to 3 integers, got 200000 (d.yaml:2:15)");
  EXPECT_EQ(refusal("a: [" + repeated(",", 500000) + "]\n"),
            "`d.yaml`: more than 500000 names and values, the most a deck may have (d.yaml:1:500002)");
  EXPECT_EQ(refusal(good_mesh + "a: " + repeated("[", 65) + repeated("]", 65)),
            "`d.yaml`: sections or lists nested deeper than 64, the most a deck may have (d.yaml:3:67)");
  EXPECT_EQ(refusal("a: &a " + repeated("[", 40) + repeated("]", 40) + "\nb: " + repeated("[", 40) + "*a" +
                    repeated("]", 40)),
            "`d.yaml`: aliases nest sections or lists deeper than 64, the most a deck may have (d.yaml:2:44)");
  EXPECT_EQ(refusal("physics: flow\nmesh: {cells: 4, density: '" + repeated("(", 20001) + "'}\n"),
            "`mesh.density`: '" + repeated("(", 60) +
                "...' is not an expression of x, y, z and t: it has 20001 characters; at most 20000 are allowed "
                "(d.yaml:2:27)");
}

TEST(UntrustedText, DeepPathsOfOverridesAreRefused) {
  EXPECT_EQ(refusal(good, {"a" + repeated(".a", 50000) + "=1"}),
            "`a" + repeated(".a", 29) + "....`: a path of 50001 parts; decks nest up to 64 deep (--set a" +
                repeated(".a", 29) + "....)");
  EXPECT_THAT(refusal(good, {"a" + repeated(".a", 64) + "=1"}), HasSubstr(": a path of 65 parts; decks nest up to 64"));
  EXPECT_THAT(refusal(good, {"a" + repeated(".a", 63) + "=1"}), HasSubstr("`a`: unknown in the deck"));
  EXPECT_NO_THROW(read_anything(good, {"a" + repeated("[0]", 63) + "=" + repeated("[", 64) + repeated("]", 64)}));
}

TEST(UntrustedText, BareWordsAreMistakes) {
  std::string const deck = "physics: flow\nmesh:\n  cells: 4\n";
  EXPECT_EQ(refusal(deck + "regions"),
            "`regions`: a name without a colon and a value (d.yaml:4:1); write `regions: ...`, or leave it out");
  EXPECT_EQ(refusal(deck + "  density\n"),
            "`density`: a name without a colon and a value (d.yaml:4:3); write `density: ...`, or leave it out");
  EXPECT_EQ(refusal("physics: flow\nregions\nmesh: {cells: 4}\n"),
            "`d.yaml`: not YAML: illegal map value (d.yaml:3:5); line 2 has no colon");
  EXPECT_EQ(refusal(deck + "'regions'\n"), "`d.yaml`: not YAML: expected `name: value` (d.yaml:4:1)");
}

TEST(UntrustedText, DeepNestingIsRefused) {
  for (char const* const sign : {"[", "{a: ", "- "}) {
    std::string text = "physics: ";
    for (int n = 0; n < 100000; ++n) text += sign;
    EXPECT_NO_THROW(read_anything(text));
  }
}

TEST(UntrustedText, AnchorsAndMergesAreResolved) {
  Options const deck = Deck("d.yaml",
                            "physics: flow\nmesh: {cells: 4}\nregions:\n  - &first {value: 1.5}\n  - *first\n"
                            "  - {<<: *first, value: 2}\n  - <<: *first\n")
                           .read(root_section());
  std::vector<double> values;
  for (Options const& region : deck.list("regions")) values.push_back(region.real("value"));
  EXPECT_EQ(values, (std::vector<double>{1.5, 1.5, 2, 1.5}));
}

}  // namespace
}  // namespace halocline
