#pragma once

#include <functional>
#include <string>

#include "framework/deck/tree.hpp"

namespace halocline {

class Mistakes;

/// A way to write decks beside YAML, as the input files of another program: a physics registers those that it brings
/// (PhysicsEntry::deck_formats). What `read` returns is treated as a deck in YAML is: `--set` changes it and the whole
/// declaration judges it.
struct DeckFormat {
  std::string name;      ///< what users call it: "tea.in"
  std::string sentence;  ///< whose files these are, and what they are recognised by
  /// Whether a text is of this format. Asked of every deck, on every rank, before it is read in any way.
  std::function<bool(std::string const& text)> recognises;
  /// Reads a text that is recognised, in UTF-8 and not empty, as the section of the same deck. Its values know their
  /// places, which the judge's messages name; `name` is what messages call the deck. What is wrong is added to the
  /// mistakes, or thrown as an InputError where nothing more can be read.
  std::function<deck::Node(std::string const& name, std::string const& text, Mistakes& mistakes)> read;
};

}  // namespace halocline
