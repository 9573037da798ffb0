#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/deck/deck_format.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/overrides.hpp"

namespace halocline {

class Communicator;

namespace deck {
struct ResolvedSection;
/// Worked out once for all decks that are read against it.
[[nodiscard]] std::shared_ptr<ResolvedSection const> resolve(Section const& root);
}  // namespace deck

/// A deck as given: its text and what the command line changes in it. It is read by the first of its formats that
/// recognises the text, and as YAML where none does.
class Deck {
 public:
  /// \param name      what messages call the deck ("plate.yaml")
  /// \param overrides later ones win
  /// \param formats   those that a deck may have beside YAML; earlier ones win
  Deck(std::string name, std::string text, std::vector<Override> overrides = {}, std::vector<DeckFormat> formats = {});

  /// Reads the file on rank 0 and gives its text to all ranks, so that all of them judge the same deck. Collective.
  /// Throws InputError on every rank if there is no such file, or it is a folder, empty, binary or above 16 MiB.
  [[nodiscard]] static Deck load(std::string const& path, std::vector<Override> const& overrides,
                                 Communicator const& communicator, std::vector<DeckFormat> const& formats = {});

  /// Judges the whole deck against its declaration. Throws one InputError that lists every mistake, one a line, in the
  /// order of their places; and what a format throws.
  [[nodiscard]] Options read(Section const& root) const;
  /// The same against `deck::resolve(root)`, which is the dearer part where many decks are read.
  [[nodiscard]] Options read(std::shared_ptr<deck::ResolvedSection const> const& root) const;

  /// What an option at the root, or in the section `section` there, says in a deck that has not been judged yet: for
  /// what has to be known before. Nothing (std::monostate) where it is not given, or there is a mistake: the judge will
  /// tell of that.
  [[nodiscard]] OptionValue unjudged(Option const& option, std::string const& section = {}) const;

  /// The same deck with further overrides, which win.
  [[nodiscard]] Deck with(std::vector<Override> const& more) const;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  /// The text as readers get it. Throws InputError where it is none.
  [[nodiscard]] std::string checked_text(Mistakes& mistakes) const;
  /// The format that recognises `text`; null for YAML.
  [[nodiscard]] DeckFormat const* format_of(std::string const& text) const;
  /// The deck as read, changed by its overrides. Throws InputError where that is no section.
  [[nodiscard]] deck::Node tree(Mistakes& mistakes) const;

  std::string name_;
  std::string text_;
  std::vector<Override> overrides_;
  std::vector<DeckFormat> formats_;
};

}  // namespace halocline
