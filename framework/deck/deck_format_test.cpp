#include "framework/deck/deck_format.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

Section root_section() {
  Section root("", "A run.");
  root.section("mesh", "The mesh.").integer("cells", "Cells.").at_least(1);
  root.text("devices", "Where.").optional();
  return root;
}

/// The second word is the number of cells, the third, if present, the device.
deck::Node read_words(std::string const& name, std::string const& text, Mistakes& mistakes) {
  Location const at{name, 1, 7};
  deck::Node root;
  root.kind = deck::Node::Kind::section;
  std::string const words = text.substr(text.find(' ') + 1);
  std::size_t const end = words.find(' ');
  root.section("mesh", at).set("cells", at, deck::scalar(words.substr(0, end), at));
  if (end != std::string::npos) root.set("devices", at, deck::scalar(words.substr(end + 1), at));
  if (text.find('!') != std::string::npos) mistakes.add({name, 1, 1}, "!", "not needed");
  return root;
}

DeckFormat words_after(std::string const& first) {
  return {.name = first,
          .sentence = "Words after a first one.",
          .recognises = [first](std::string const& text) { return text.starts_with(first + " "); },
          .read = read_words};
}

/// A format that recognises every text.
DeckFormat anything(deck::Node const& tree) {
  return {.name = "anything",
          .sentence = "Any text.",
          .recognises = [](std::string const&) { return true; },
          .read = [tree](std::string const&, std::string const&, Mistakes&) { return tree; }};
}

std::int64_t cells(std::string const& text, std::vector<DeckFormat> const& formats,
                   std::vector<std::string> const& overrides = {}) {
  return Deck("d", text, overrides_by_set(overrides), formats).read(root_section()).section("mesh").integer("cells");
}

std::string refusal(std::string const& text, std::vector<DeckFormat> const& formats) {
  try {
    static_cast<void>(cells(text, formats));
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(DeckFormat, ReadsWhatItRecognisesAndYamlTheRest) {
  EXPECT_EQ(cells("cells: 4", {words_after("cells:")}), 4);
  EXPECT_EQ(cells("mesh: {cells: 5}", {words_after("cells:")}), 5);
  EXPECT_EQ(cells("\xEF\xBB\xBF"
                  "cells: 6",
                  {words_after("cells:")}),
            6);
}

TEST(DeckFormat, IsChangedByOverrides) { EXPECT_EQ(cells("grid 4", {words_after("grid")}, {"mesh.cells=7"}), 7); }

TEST(DeckFormat, TheFirstThatRecognisesATextReadsIt) {
  deck::Node nine;
  nine.kind = deck::Node::Kind::section;
  nine.section("mesh", {}).set("cells", {}, deck::scalar("9", {}));
  EXPECT_EQ(cells("grid 4", {words_after("grid"), anything(nine)}), 4);
  EXPECT_EQ(cells("grid 4", {words_after("net"), anything(nine), words_after("grid")}), 9);
}

TEST(DeckFormat, ItsMistakesAreReportedWithThoseOfTheDeck) {
  EXPECT_EQ(refusal("grid 0 !", {words_after("grid")}),
            "`!`: not needed (d:1:1)\n`mesh.cells`: 0 is out of range: must be at least 1 (d:1:7)");
}

TEST(DeckFormat, IsGivenNothingThatIsNoText) {
  EXPECT_EQ(refusal("grid \xFF", {anything({})}), "`d`: not a text file (UTF-8) (d:1:6)");
  EXPECT_EQ(refusal(" \n", {anything({})}), "`d`: the deck is empty (d:1:1)");
}

TEST(DeckFormat, MustReturnASection) {
  EXPECT_EQ(refusal("grid 4", {anything(deck::scalar("grid", {"d", 1, 1}))}),
            "`d`: expected options like `name: value`, got 'grid' (d:1:1)");
  EXPECT_EQ(refusal("grid 4", {anything({})}), "`mesh.cells`: missing (d:1:1); it is required: Cells.");
}

/// A format may use another word for an option, so that its name need not occur in the text.
TEST(DeckFormat, TellsOptionsThatAreAskedForBeforeTheDeckIsValidated) {
  Section const root = root_section();
  Option const& devices = root.options().front();
  OptionValue const value = Deck("d", "grid 4 all", {}, {words_after("grid")}).unvalidated(devices);
  ASSERT_TRUE(std::holds_alternative<std::string>(value));
  EXPECT_EQ(std::get<std::string>(value), "all");
}

}  // namespace
}  // namespace halocline
