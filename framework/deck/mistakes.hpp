#pragma once

#include <set>
#include <string>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline {

/// Collects every mistake of a deck, so that all of them are reported at once.
class Mistakes {
 public:
  /// One line of the report: "`subject`: text (location); advice".
  ///
  /// \param subject full name of the option or section, or the unknown word itself; without back quotes
  /// \param advice  what to do about it ("did you mean `iterations`?"); may be empty
  void add(Location const& location, std::string const& subject, std::string const& text,
           std::string const& advice = "");

  /// Whether there is a mistake of this subject.
  [[nodiscard]] bool contains(std::string const& subject) const { return subjects_.contains(subject); }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  /// One line per mistake, in the order of their places in the deck.
  [[nodiscard]] std::string text() const;
  /// Throws InputError with `text()` unless there is no mistake.
  void report() const;

 private:
  struct Line {
    Location location;
    std::string text;
  };
  std::vector<Line> lines_;
  std::set<std::string> subjects_;
};

}  // namespace halocline
