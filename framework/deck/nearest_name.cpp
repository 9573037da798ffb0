#include "framework/deck/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace halocline {
namespace {

std::string lower_case(std::string_view word) {
  std::string lowered(word);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lowered;
}

/// Restricted Damerau-Levenshtein distance (Damerau 1964): insertions, deletions, changes, swaps of neighbours.
std::size_t edits(std::string const& a, std::string const& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<std::string const> candidates) {
  // Longer words match nothing: no name is that long, and the cost is quadratic.
  if (word.size() > 64) return "";
  std::string const wanted = lower_case(word);
  std::string nearest;
  // About one edit in three letters is accepted, but never as many edits as either word has letters.
  std::size_t limit = wanted.size() / 3 + 2;
  for (std::string const& candidate : candidates) {
    std::size_t const count = edits(wanted, lower_case(candidate));
    if (count >= limit || count >= std::min(wanted.size(), candidate.size())) continue;
    limit = count;
    nearest = candidate;
  }
  if (!nearest.empty() || wanted.size() < 3) return nearest;
  // The word may be part of a name: `tolerance` of `relative_tolerance`.
  auto const contains = [&](std::string const& candidate) {
    return lower_case(candidate).find(wanted) != std::string::npos;
  };
  auto const longer = std::find_if(candidates.begin(), candidates.end(), contains);
  return longer == candidates.end() ? "" : *longer;
}

std::string advice_for(std::string_view word, std::span<std::string const> candidates) {
  std::string const nearest = nearest_name(word, candidates);
  if (!nearest.empty()) return "did you mean `" + nearest + "`?";
  std::string known;
  for (std::string const& candidate : candidates) known += (known.empty() ? "known: " : ", ") + candidate;
  return known;
}

}  // namespace halocline
