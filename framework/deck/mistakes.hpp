#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline {

/// Collects every mistake of a deck, so that all of them are reported at once. The first `most_shown` of them, by their
/// places in the deck, are kept in words; the others are counted.
class Mistakes {
 public:
  static constexpr std::size_t most_shown = 50;
  /// What to do about a mistake, worked out only if the mistake is shown.
  using Advice = std::function<std::string()>;

  /// One line of the report: "`subject`: text (location); advice".
  ///
  /// \param subject full name of the option or section; without back quotes
  /// \param advice  what to do about it ("leave it out"); may be empty
  void add(Location const& location, std::string const& subject, std::string const& text,
           std::string const& advice = "");
  /// The same for a word that names nothing which could be mistaken later: one that is unknown or there twice.
  void add_word(Location const& location, std::string const& word, std::string const& text, Advice advice);

  /// Whether there is a mistake of this subject.
  [[nodiscard]] bool contains(std::string const& subject) const { return subjects_.contains(subject); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// One line per mistake, in the order of their places in the deck, and how many more there are.
  [[nodiscard]] std::string text() const;
  /// Throws InputError with `text()` unless there is no mistake.
  void report() const;

 private:
  struct Line {
    Location location;
    std::string text;
    Advice advice;
  };
  /// Counts a mistake; whether it is among those to show.
  [[nodiscard]] bool is_shown(Location const& location);
  void show(Location const& location, std::string const& subject, std::string const& text, Advice advice);

  std::vector<Line> shown_;  ///< in the order of their places
  std::size_t count_ = 0;
  std::set<std::string> subjects_;
};

}  // namespace halocline
