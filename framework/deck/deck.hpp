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
/// Resolves a declaration once for all decks that are read against it.
[[nodiscard]] std::shared_ptr<ResolvedSection const> resolve(Section const& root);
}  // namespace deck

/// A deck as given: its text and the overrides of the command line. The first of its formats that recognises the text
/// reads it; YAML if none does.
class Deck {
 public:
  /// \param name      name of the deck in messages ("plate.yaml")
  /// \param overrides later ones win
  /// \param formats   formats that the deck may have besides YAML; earlier ones win
  Deck(std::string name, std::string text, std::vector<Override> overrides = {}, std::vector<DeckFormat> formats = {});

  /// Reads the file on rank 0 and broadcasts its text, so that all ranks validate the same deck. Collective. Throws
  /// InputError on every rank if the file does not exist, is a folder, empty, binary or above 16 MiB.
  [[nodiscard]] static Deck load(std::string const& path, std::vector<Override> const& overrides,
                                 Communicator const& communicator, std::vector<DeckFormat> const& formats = {});

  /// Validates the whole deck against its declaration. Throws one InputError that lists every mistake, one a line, in
  /// the order of their locations; also throws what a format throws.
  [[nodiscard]] Options read(Section const& root) const;
  /// The same against `deck::resolve(root)`, which is the more expensive part if many decks are read.
  [[nodiscard]] Options read(std::shared_ptr<deck::ResolvedSection const> const& root) const;

  /// The value of an option at the root, or in the root's section `section`, before the deck is validated: for options
  /// that are needed earlier. Nothing (std::monostate) if it is not given or has a mistake, which `read` then reports.
  [[nodiscard]] OptionValue unvalidated(Option const& option, std::string const& section = {}) const;

  /// The same deck with further overrides, which take precedence.
  [[nodiscard]] Deck with(std::vector<Override> const& more) const;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  /// The text as readers get it. Throws InputError if it is empty or not UTF-8.
  [[nodiscard]] std::string checked_text(Mistakes& mistakes) const;
  /// The format that recognises `text`; null for YAML.
  [[nodiscard]] DeckFormat const* format_of(std::string const& text) const;
  /// The deck as read, with its overrides applied. Throws InputError if it is not a section.
  [[nodiscard]] deck::Node tree(Mistakes& mistakes) const;

  std::string name_;
  std::string text_;
  std::vector<Override> overrides_;
  std::vector<DeckFormat> formats_;
};

}  // namespace halocline
