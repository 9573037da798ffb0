#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "framework/deck/resolved_section.hpp"

namespace halocline::test {

/// An unusual deck, and changes of it by `--set`.
struct HostileDeck {
  std::string text;
  std::vector<std::string> overrides;
};

/// Makes decks from valid ones, each determined by its seed: changes bytes and lines, splices decks, replaces words and
/// numbers, combines sections of the declaration at random, repeats and nests parts.
class DeckMutator {
 public:
  /// \param decks texts of valid decks, YAML and tea.in
  DeckMutator(std::vector<std::string> decks, std::shared_ptr<deck::ResolvedSection const> declaration);

  [[nodiscard]] HostileDeck make(std::uint64_t seed);

 private:
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  [[nodiscard]] bool one_in(std::size_t cases) { return below(cases) == 0; }
  [[nodiscard]] std::string const& any(std::vector<std::string> const& words) { return words[below(words.size())]; }

  void collect_words(deck::ResolvedSection const& section, std::string const& path);
  [[nodiscard]] std::string section_text(deck::ResolvedSection const& section, std::size_t depth);
  [[nodiscard]] std::string value_text(Option const& option);
  [[nodiscard]] std::string entry_text(Option const& option);
  [[nodiscard]] std::string expression_text();
  [[nodiscard]] std::string piece_of(std::string const& text);
  [[nodiscard]] std::string hostile_piece();
  [[nodiscard]] std::string override_text();
  void mutate(std::string& text);
  void change_byte(std::string& text);
  void change_lines(std::string& text);
  void change_number(std::string& text);
  void change_word(std::string& text);
  void nest(std::string& text);
  void repeat(std::string& text);

  std::vector<std::string> decks_;
  std::shared_ptr<deck::ResolvedSection const> declaration_;
  std::vector<std::string> words_;  ///< names of options and sections, and their choices
  std::vector<std::string> paths_;  ///< "solver.cg.iterations"
  std::mt19937_64 random_;
};

}  // namespace halocline::test
