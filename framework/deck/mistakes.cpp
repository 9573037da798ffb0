#include "framework/deck/mistakes.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {

void Mistakes::add(Location const& location, std::string const& subject, std::string const& text,
                   std::string const& advice) {
  subjects_.insert(subject);
  if (is_shown(location)) show(location, subject, text, [advice] { return advice; });
}

void Mistakes::add_word(Location const& location, std::string const& word, std::string const& text, Advice advice) {
  if (is_shown(location)) show(location, word, text, std::move(advice));
}

bool Mistakes::is_shown(Location const& location) {
  ++count_;
  return shown_.size() < most_shown || location.before(shown_.back().location);
}

void Mistakes::show(Location const& location, std::string const& subject, std::string const& text, Advice advice) {
  std::string line = "`" + subject + "`: " + text;
  if (!location.is_default()) line += " (" + location.text() + ")";
  auto const later = std::upper_bound(shown_.begin(), shown_.end(), location,
                                      [](Location const& at, Line const& other) { return at.before(other.location); });
  shown_.insert(later, {location, std::move(line), std::move(advice)});
  if (shown_.size() > most_shown) shown_.pop_back();
}

std::string Mistakes::text() const {
  std::string all;
  for (Line const& line : shown_) {
    std::string const advice = line.advice();
    all += (all.empty() ? "" : "\n") + line.text + (advice.empty() ? "" : "; " + advice);
  }
  std::size_t const more = count_ - shown_.size();
  if (more > 0) all += "\n... and " + std::to_string(more) + (more == 1 ? " more mistake" : " more mistakes");
  return all;
}

void Mistakes::report() const {
  if (!empty()) throw InputError(text());
}

}  // namespace halocline
