#include "framework/deck/mistakes.hpp"

#include <algorithm>

#include "framework/runtime/error.hpp"

namespace halocline {

void Mistakes::add(Location const& location, std::string const& subject, std::string const& text,
                   std::string const& advice) {
  std::string line = "`" + subject + "`: " + text;
  if (!location.is_default()) line += " (" + location.text() + ")";
  if (!advice.empty()) line += "; " + advice;
  lines_.push_back({location, line});
  subjects_.insert(subject);
}

std::string Mistakes::text() const {
  std::vector<Line> sorted = lines_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](Line const& a, Line const& b) { return a.location.before(b.location); });
  std::string all;
  for (Line const& line : sorted) all += (all.empty() ? "" : "\n") + line.text;
  return all;
}

void Mistakes::report() const {
  if (!empty()) throw InputError(text());
}

}  // namespace halocline
