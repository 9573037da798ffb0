#pragma once

#include <functional>
#include <string>

#include "framework/deck/tree.hpp"

namespace halocline {

class Mistakes;

/// A format of decks besides YAML, such as the input files of another program. A physics registers the formats that it
/// provides (PhysicsEntry::deck_formats). The result of `read` is treated as a deck in YAML is: `--set` changes it and
/// the whole declaration validates it.
struct DeckFormat {
  std::string name;      ///< its name for users: "tea.in"
  std::string sentence;  ///< which program's files these are, and how they are recognised
  /// Whether a text has this format. Called for every deck, on every rank, before anything else reads it.
  std::function<bool(std::string const& text)> recognises;
  /// Reads a recognised text, which is UTF-8 and not empty, into the root section of the deck. Its values have
  /// locations for messages; `name` is the name of the deck in messages. Mistakes are added to `mistakes`, or thrown as
  /// an InputError if nothing more can be read.
  std::function<deck::Node(std::string const& name, std::string const& text, Mistakes& mistakes)> read;
};

}  // namespace halocline
