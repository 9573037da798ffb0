#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

Section root_section() {
  Section root("", "A run.");
  root.choice("physics", "What is solved.", {"heat", "laplace"});
  Section& mesh = root.section("mesh", "The mesh.");
  mesh.integers("cells", "Cells.", 1, 3).at_least(1);
  mesh.expression("density", "Of it.").defaults_to("1");
  Section region("regions", "A part.");
  region.real("value", "Of it.");
  root.list(region);
  return root;
}

std::string const good =
    "%YAML 1.2\n---\n# a comment\nphysics: heat\nmesh: &mesh\n  cells: [4, 3]\n  density: \"1 + x\"\n"
    "regions:\n  - {value: 1.5}\n  - value: -2\n";

/// Reads a text that may be anything: it is either a deck or refused as one.
void read_anything(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)Deck("d.yaml", text, overrides).read(root_section());
  } catch (InputError const&) {
    // A text that is no deck is refused; anything else that is thrown fails the test.
  }
}

TEST(UntrustedText, GoodDeckIsOne) { EXPECT_NO_THROW((void)Deck("d.yaml", good).read(root_section())); }

TEST(UntrustedText, TruncatedDecksAreReadOrRefused) {
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NO_THROW(read_anything(good.substr(0, length)));
}

TEST(UntrustedText, ChangedDecksAreReadOrRefused) {
  std::mt19937 random(1);
  std::string const signs = "{}[]:,-&*?|>'\"%@`!#\n\t \\x0<.~=";
  for (int n = 0; n < 5000; ++n) {
    std::string text = n % 2 == 0 ? good : "*tea\nstate 1 density=1 energy=2\nx_cells=3\nxmin 0\ntl_use_cg\n*endtea\n";
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
  try {
    (void)Deck("d.yaml", text).read(root_section());
    FAIL() << "ten to the twelfth values were read";
  } catch (InputError const& error) {
    EXPECT_EQ(std::string(error.what()), "`d.yaml`: more than a million values (d.yaml:6:45)");
  }
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
                            "physics: heat\nmesh: {cells: 4}\nregions:\n  - &first {value: 1.5}\n  - *first\n"
                            "  - {<<: *first, value: 2}\n  - <<: *first\n")
                           .read(root_section());
  std::vector<double> values;
  for (Options const& region : deck.list("regions")) values.push_back(region.real("value"));
  EXPECT_EQ(values, (std::vector<double>{1.5, 1.5, 2, 1.5}));
}

}  // namespace
}  // namespace halocline
