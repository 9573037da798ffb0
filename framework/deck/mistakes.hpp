#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "framework/deck/location.hpp"

namespace halocline {

/// Collects every mistake of a deck, so that all are reported at once. Only the first `most_shown` by location keep
/// their text; the others are counted.
class Mistakes {
 public:
  static constexpr std::size_t most_shown = 50;
  /// How to correct a mistake; evaluated only if the mistake is shown.
  using Advice = std::function<std::string()>;

  /// One line of the report: "`subject`: text (location); advice".
  ///
  /// \param subject full name of the option or section; without back quotes
  /// \param advice  how to correct it ("leave it out"); may be empty
  void add(Location const& location, std::string const& subject, std::string const& text,
           std::string const& advice = "");
  /// The same for an unknown or duplicate word. No later check refers to it, so it is not recorded as a subject.
  void add_word(Location const& location, std::string const& word, std::string const& text, Advice advice);

  /// Whether a mistake with this subject was added.
  [[nodiscard]] bool contains(std::string const& subject) const { return subjects_.contains(subject); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// One line per mistake, in the order of their locations, and the number of further mistakes.
  [[nodiscard]] std::string text() const;
  /// Throws InputError with `text()` if there are mistakes.
  void report() const;

 private:
  struct Line {
    Location location;
    std::string text;
    Advice advice;
  };
  /// Counts a mistake and returns whether to show it.
  [[nodiscard]] bool is_shown(Location const& location);
  void show(Location const& location, std::string const& subject, std::string const& text, Advice advice);

  std::vector<Line> shown_;  ///< in the order of their locations
  std::size_t count_ = 0;
  std::set<std::string> subjects_;
};

}  // namespace halocline
